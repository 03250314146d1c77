// Requests of objects to D1, and the results of abandoned requests.
import type { Life } from '../../support/node-object/life-timers.ts'
import type { Rng } from '../../support/rng.ts'
import { type Fault, isWrite } from './faults.ts'

/** `answer` executes the request and returns its result if the object still waits for it. */
export type Question = { readonly life: Life; readonly texts: readonly string[]; readonly answer: (fault: Fault | null) => void }

/** The next request to answer: with a silent D1 mostly the newest; abandoned requests are answered later. */
export function nextQuestion(questions: Question[], rng: Rng, isSilent = false): Question | undefined {
  if (!isSilent) return questions.shift()
  return rng.chance(0.7) ? questions.pop() : questions.splice(rng.below(questions.length), 1)[0]
}

/** True if a caller waits for the result of the write. */
export function isWriting(questions: readonly Question[]): boolean {
  const last = questions.at(-1)
  return last !== undefined && !last.life.isOver && last.texts.some(isWrite)
}
