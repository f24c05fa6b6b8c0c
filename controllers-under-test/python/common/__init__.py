"""What all variants of the topic controller share."""
