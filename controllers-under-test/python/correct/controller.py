"""The topic controller with the correct steps. Run as `kopf run --standalone --namespace default correct/controller.py`."""

from common import operator
from correct.steps import STEPS

operator.register(STEPS)
