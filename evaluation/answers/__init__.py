"""What a response says: the numbers in it, its boxed answer, the solution steps that it reaches."""
