// What objects have asked of D1 and wait for, and what is left of that when they wait no more.
import type { Life } from '../../support/node-object/life-timers.ts'
import type { Rng } from '../../support/rng.ts'
import { type Fault, isWrite } from './faults.ts'

/** `answer` does what was asked and says so, to whoever is still there to hear it. */
export type Question = { readonly life: Life; readonly texts: readonly string[]; readonly answer: (fault: Fault | null) => void }

/** What is next to be answered: of a D1 that is silent what was asked last, mostly; what was given up is answered some other time. */
export function nextQuestion(questions: Question[], rng: Rng, isSilent = false): Question | undefined {
  if (!isSilent) return questions.shift()
  return rng.chance(0.7) ? questions.pop() : questions.splice(rng.below(questions.length), 1)[0]
}

/** Whether somebody waits to hear that it was written. */
export function isWriting(questions: readonly Question[]): boolean {
  const last = questions.at(-1)
  return last !== undefined && !last.life.isOver && last.texts.some(isWrite)
}
