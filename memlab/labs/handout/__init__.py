"""Files generated from a lab's text: skeleton and notebooks; and the wrong implementations that test the checks."""
