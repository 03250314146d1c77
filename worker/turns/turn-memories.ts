/** The facts of a turn: those that its model receives, and what a small model may read to find new ones (SPEC.md, B1 to B6). */
import { maxKnownMemories, maxPromptMemories, maxPromptMemoryTokens, maxReadChars } from '../contract/limits.ts'
import { textTokens } from '../contract/models/token-estimates.ts'
import { type RowOf, zql } from '../contract/schema.ts'
import { cutAt } from '../contract/text.ts'
import { type GivenMemory, isPresent } from '../contract/threads/memories.ts'
import { type ChatMessage, textOf } from '../contract/threads/messages.ts'
import type { MemoryReading } from '../contract/threads/turn.ts'
import { findRow, type Rows, rowsOf } from '../user-sync/replica-rows.ts'

export type TurnMemory = { readonly given: readonly GivenMemory[]; readonly reading: MemoryReading | null }

type Asked = {
  readonly userId: string
  readonly question: ChatMessage
  /** The makers of the model and its fallbacks. */
  readonly makers: readonly string[]
  /** False for a research, whose queries go to a search provider. */
  readonly isGiven: boolean
  /** False for the continuation of an answer, whose question was read before. */
  readonly isRead: boolean
}

/** Only called if memory is on for the thread. */
export function turnMemory(rows: Rows, { userId, question, makers, isGiven, isRead }: Asked): TurnMemory {
  const facts = rowsOf(rows, zql.memory.where('userId', userId).where('deletedAt', 'IS', null))
  const isPresentFact = presenceIn(rows)
  const text = isRead ? cutAt(typedText(question), maxReadChars) : ''
  return {
    given: isGiven ? chosenMemories(facts, textOf(question), makers, isPresentFact) : [],
    reading: text === '' ? null : { text, known: knownFacts(facts, text, isPresentFact) },
  }
}

/** Reads the deleted messages of each thread once. */
function presenceIn(rows: Rows): (fact: RowOf<'memory'>) => boolean {
  const sources = new Map<string, ReturnType<typeof sourceOf>>()
  return (fact) =>
    isPresent(fact, () => {
      const source = sources.get(fact.threadId) ?? sourceOf(rows, fact.threadId)
      sources.set(fact.threadId, source)
      return source
    })
}

const sourceOf = (rows: Rows, threadId: string) => ({
  thread: findRow(rows, 'thread', threadId),
  deletedIds: new Set(rowsOf(rows, zql.message.where('threadId', threadId).where('deletedAt', 'IS NOT', null)).map(({ id }) => id)),
})

/** Facts that the small model shall not repeat. It may be of any provider, so that barred facts are left out. */
const knownFacts = (facts: readonly RowOf<'memory'>[], text: string, isPresentFact: (fact: RowOf<'memory'>) => boolean) =>
  ranked(facts, text)
    .filter(({ fact }) => !fact.barredMakers?.length && isPresentFact(fact))
    .slice(0, maxKnownMemories)
    .map(({ fact }) => fact.text)

type Choosable = GivenMemory & {
  readonly isPinned?: boolean | null
  readonly barredMakers?: readonly string[] | null
  readonly createdAt: number
  readonly editedAt?: number | null
}

/** Chosen: the text before the facts (`memoryHeading` in chat/model/prompt.ts). */
const headingTokens = 80

/**
 * The facts that a question gets, the oldest first: the pinned ones, and those whose words meet the question best. A fact that is barred for one of
 * `makers` is omitted, and one that does not fit into `maxPromptMemoryTokens`. `isPresentFact` is called for few facts, because it reads rows.
 */
export function chosenMemories<T extends Choosable>(
  facts: readonly T[],
  question: string,
  makers: readonly string[],
  isPresentFact: (fact: T) => boolean,
): readonly GivenMemory[] {
  const chosen: T[] = []
  let tokens = headingTokens
  for (const { fact, rank } of ranked(facts, question)) {
    if (rank === 0 || chosen.length === maxPromptMemories) break
    const isBarred = fact.barredMakers?.some((maker) => makers.includes(maker))
    const next = tokens + textTokens(`- ${fact.text}\n`)
    if (isBarred || next > maxPromptMemoryTokens || !isPresentFact(fact)) continue
    chosen.push(fact)
    tokens = next
  }
  const statedAt = ({ createdAt, editedAt }: T) => editedAt ?? createdAt
  return chosen.sort((a, b) => statedAt(a) - statedAt(b)).map(({ id, text }) => ({ id, text }))
}

/** By how many words they share with the text, pinned facts first and the newest first among equals. */
function ranked<T extends Choosable>(facts: readonly T[], text: string): readonly { readonly fact: T; readonly rank: number }[] {
  const words = wordsIn(text)
  return facts
    .map((fact) => ({ fact, rank: fact.isPinned ? Number.POSITIVE_INFINITY : commonWords(wordsIn(fact.text), words) }))
    .sort((a, b) => (a.rank === b.rank ? b.fact.createdAt - a.fact.createdAt : b.rank - a.rank))
}

/** Chosen: words of English and German that say nothing about the subject. */
const commonEverywhere = new Set(
  `a about all also am an and any are as at auf aus be been bei but by can could das dass dem den der des did die do does ein eine einem einen einer
  er es for from für get give had has hat have he her hier him his how i ich if ihr im in is ist it its just kann kannst like made make me mein meine mich mir
  mit more my need new nicht no not now of oder on one or our out please she should sich sie sind so some than that the their them then there they
  this to tu und uns user us use von was we welche wer werden were what when where which who why wie will wir with would you your zu zum zur`.split(
    /\s+/,
  ),
)

const wordsIn = (text: string): ReadonlySet<string> =>
  new Set((text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => word.length > 1 && !commonEverywhere.has(word)))

const commonWords = (words: ReadonlySet<string>, asked: ReadonlySet<string>): number =>
  [...words].filter((word) => asked.has(word) || [...asked].some((other) => isFormOf(word, other))).length

/** Chosen: one word begins with the other and has an ending of up to three letters, as a plural has. */
const isFormOf = (a: string, b: string): boolean =>
  Math.min(a.length, b.length) >= 3 && Math.abs(a.length - b.length) <= 3 && (a.startsWith(b) || b.startsWith(a))

/**
 * The text of a message that a fact may be from. Empty unless the page has marked the message as typed: imported, copied, pasted and inserted texts
 * can be from others. Quotations and code are left out.
 */
export function typedText(message: ChatMessage): string {
  if (message.role !== 'user' || !message.isTyped) return ''
  let fence: string | null = null
  const lines = textOf(message)
    .split('\n')
    .filter((line) => {
      const mark = /^\s*(`{3,}|~{3,})/.exec(line)?.[1]
      const isFenced = fence !== null || mark !== undefined
      if (fence === null) fence = mark ?? null
      else if (mark?.startsWith(fence)) fence = null
      return !isFenced && !/^\s*>/.test(line)
    })
  return lines.join('\n').trim()
}
