/**
 * What going on with a research costs, as far as its thread's answers tell: the page names it before it is asked for. What is charged the
 * record decides with the turn (db/turns.ts), where nothing can come between; a test holds the two against each other on histories by chance.
 */
import type { AnswerMessage, ChatMessage, Ending } from './messages.ts'

export type ResearchAnswer = {
  readonly id: string
  readonly ending: Ending
  /** The answer it goes on with. */
  readonly continues: string | null
  /** What it held was kept, be it nothing. */
  readonly isPaid: boolean
  readonly credits: number
}

export type ResearchCost = { readonly credits: number; readonly researches: number }

/** `credits`: what the model that goes on costs. */
export function costOfGoingOn(answers: readonly ResearchAnswer[], continueId: string, credits: number): ResearchCost {
  const broken = brokenBefore(answers, continueId)
  const isUsed = answers.some(({ id, continues, isPaid }) => isPaid && continues !== null && broken.has(continues) && !broken.has(id))
  const paid = isUsed ? [] : [...broken.values()].filter(({ isPaid }) => isPaid)
  if (paid.length === 0) return { credits, researches: 1 }
  return { credits: Math.max(0, credits - paid.reduce((sum, answer) => sum + answer.credits, 0)), researches: 0 }
}

/** The answer and what it went on with, as long as they broke. */
function brokenBefore(answers: readonly ResearchAnswer[], continueId: string): ReadonlyMap<string, ResearchAnswer> {
  const broken = new Map<string, ResearchAnswer>()
  for (let id: string | null = continueId; id !== null && !broken.has(id); ) {
    const answer = answers.find((other) => other.id === id)
    if (!answer || (answer.ending !== 'failed' && answer.ending !== 'interrupted')) break
    broken.set(id, answer)
    id = answer.continues
  }
  return broken
}

export const researchAnswersIn = (messages: readonly ChatMessage[]): readonly ResearchAnswer[] =>
  messages.filter(isResearch).map(({ id, metadata: { ending, continues = null, isPaid, credits } }) => ({
    id,
    ending,
    continues,
    // Answers of before do not say it; most that broke were paid if they cost anything.
    isPaid: isPaid ?? credits > 0,
    credits,
  }))

const isResearch = (message: ChatMessage): message is AnswerMessage => message.role === 'assistant' && message.metadata.mode === 'research'
