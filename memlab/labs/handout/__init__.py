"""What is made of a lab's text: skeleton, notebooks, and the wrong implementations that prove the checks."""
