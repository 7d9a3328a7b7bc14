"""The five exercises of a seed with their answers, with ffn_core: run from the folder that holds ffn_core."""

from ffn_core.dead_units import dead_units
from ffn_core.exercises import BUILDERS, exercise
from ffn_core.questions import grade

seed = 11
bias = -3.2

for number in range(1, len(BUILDERS) + 1):
    found = exercise(number, seed)
    print(f"{number}. {found.title}")
    for question in found.questions:
        print(f"   {question.prompt}\n      {question.answer_text}")

print(f"dead units at a bias of {bias}, expected and counted:")
for reading, (expected, counted) in dead_units(seed).at(bias).items():
    print(f"   {reading:26} {expected:.4f} {counted:.4f}")

bias_alone = "0 0 0 0"  # try an answer of your own
print("graded:", grade(exercise(1, seed).questions[0], bias_alone).message)
