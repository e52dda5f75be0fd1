"""One module for each way to get an answer: openai, litellm, replay, manual."""
