/** What a generation needs to know to write an answer, read from the rows as they are. */
import type { AnswerMessage, ChatMessage } from '../contract/messages.ts'
import type { RowOf, TableName } from '../contract/schema.ts'
import { isProvisionalTitle } from '../contract/titles.ts'
import { newestOf, type TurnOrder } from '../contract/turn.ts'
import type { ReservedTurn } from '../db/turns.ts'
import type { Overlay } from './push/overlay.ts'

/** A call between objects carries 32 MiB, two bytes for a letter, and no model reads as much as fits. */
const maxOrderChars = 8_000_000

/** Null when a row is missing that the order cannot do without: its question, its model, its person. */
export function turnOrder(rows: Overlay, userId: string, turn: ReservedTurn): TurnOrder | null {
  const { generationId, threadId, parentId, continueId } = turn
  const history = historyTo(rows, threadId, parentId)
  const model = find(rows, 'model', turn.modelId)
  const user = find(rows, 'user', userId)
  const thread = find(rows, 'thread', threadId)
  if (!history || !model || !user || !thread) return null
  const [setting] = rows.run({ table: 'setting', where: ownedBy(userId) }) as unknown as RowOf<'setting'>[]
  const continued = continueId === null ? undefined : find(rows, 'message', continueId)?.message
  return {
    generationId,
    userId,
    threadId,
    parentId,
    history: newestOf(history, maxOrderChars),
    ...(continued ? { continued: continued.parts } : {}),
    paid: turn.mode === 'research' && continued?.role === 'assistant' ? (continued.metadata.paid ?? null) : null,
    // What was reserved is what is settled, whatever the catalogue says by now.
    model: { ...model, credits: turn.credits },
    mode: turn.mode,
    effort: turn.effort,
    untitled: isProvisionalTitle(thread.title, history),
    person: { name: user.name, nickname: setting?.nickname, biography: setting?.biography, instructions: setting?.instructions },
  }
}

/** From the first message to `messageId`, oldest first. Versions beside the path are not part of it. */
function historyTo(rows: Overlay, threadId: string, messageId: string): readonly ChatMessage[] | null {
  const path: (ChatMessage | AnswerMessage)[] = []
  const seen = new Set<string>()
  for (let id: string | null | undefined = messageId; id != null; ) {
    const row: RowOf<'message'> | undefined = find(rows, 'message', id)
    // A missing or foreign parent, or a circle, would be a broken thread: the answer starts from what holds together.
    if (!row || row.threadId !== threadId || seen.has(id)) break
    seen.add(id)
    path.unshift(row.message)
    id = row.parentId
  }
  return path.length === 0 ? null : path
}

/** The replica's rows are those of the contract's tables. */
const find = <T extends TableName>(rows: Overlay, table: T, id: string) => rows.get(table, id) as unknown as RowOf<T> | undefined

const ownedBy = (userId: string) =>
  ({ type: 'simple', op: '=', left: { type: 'column', name: 'userId' }, right: { type: 'literal', value: userId } }) as const
