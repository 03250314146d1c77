// Which summaries a start command uses and requests, over branches, edits, deletions and purges. Rules: worker/turns/SPEC.md, S1 to S4.
import { describe, expect, test } from 'vitest'
import { textOf } from '../../../worker/contract/threads/messages.ts'
import type { StartTurn } from '../../../worker/contract/threads/turn.ts'
import type { ReservedTurn } from '../../../worker/db/turns.ts'
import { startCommand } from '../../../worker/turns/turn-commands.ts'
import { createRng, type Rng } from '../../support/rng.ts'
import { answered, type Given, replicaOf, userId, userMessage, userRows } from '../sync/replica.ts'

const turn: Omit<ReservedTurn, 'parentId'> = {
  generationId: 'answer-new',
  threadId: 'thread-one',
  modelId: 'kimi-k2',
  mode: 'chat',
  continueId: null,
  effort: null,
  queuedId: null,
  credits: 1,
  objectId: userId,
}

type Node = { readonly id: string; readonly parentId: string | null; isDeleted: boolean }

/** A guest's request has about 18 of these messages. */
const textOfNode = (id: string) => `<${id}>`.padEnd(2_970, 'x')
const namesIn = (text: string): readonly string[] => [...new Set([...text.matchAll(/<(m\d+)>/g)].map(([, id = '']) => id))]

/** A thread whose small model keeps the names of all messages that it reads. */
class Thread {
  readonly nodes = new Map<string, Node>()
  readonly summaries = new Map<string, string>()
  #count = 0

  add(parentId: string | null): string {
    const id = `m${this.#count++}`
    this.nodes.set(id, { id, parentId, isDeleted: false })
    return id
  }

  /** From the first message that exists. */
  pathTo(id: string): readonly Node[] {
    const node = this.nodes.get(id)
    if (!node) return []
    return [...(node.parentId === null ? [] : this.pathTo(node.parentId)), node]
  }

  isVisible(id: string): boolean {
    return this.pathTo(id).every(({ isDeleted }) => !isDeleted)
  }

  isQuestion(id: string): boolean {
    let depth = 0
    for (let at = this.nodes.get(id)?.parentId; at != null; at = this.nodes.get(at)?.parentId ?? null) depth += 1
    return depth % 2 === 0
  }

  /** Removes the message, and what is below it unless the thread is damaged. */
  purge(id: string, isDamage: boolean): void {
    const below = isDamage ? [] : [...this.nodes.values()].filter(({ parentId }) => parentId === id)
    for (const child of below) this.purge(child.id, false)
    this.nodes.delete(id)
    this.summaries.delete(id)
  }

  command(parentId: string, mode: ReservedTurn['mode'] = 'chat'): StartTurn | null {
    const messages = [...this.nodes.values()].map((node): Given => {
      const { id, parentId, isDeleted } = node
      const isAnswer = parentId !== null && !this.isQuestion(id)
      const [table, row] = isAnswer ? answered(id, parentId, textOfNode(id)) : userMessage(id, parentId, textOfNode(id))
      return [table, { ...row, deletedAt: isDeleted ? 5 : null }]
    })
    const summaries = [...this.summaries].map(
      ([id, text]): Given => ['summary', { id, userId, threadId: 'thread-one', text, tokens: 1, createdAt: 1 }],
    )
    const engine = replicaOf(...userRows, ['thread', { title: 'Named' }], ...messages, ...summaries)
    return startCommand(engine, userId, { ...turn, mode, parentId }, 1)
  }

  /** Asks, and writes the summary that is needed. Returns the names in the prompt. */
  ask(parentId: string): readonly string[] {
    const command = this.command(parentId)
    const { toSummarize } = command ?? {}
    if (toSummarize && !this.summaries.has(toSummarize.id)) {
      const read = [toSummarize.previous ?? '', ...toSummarize.messages.map(({ text }) => text)].join(' ')
      this.summaries.set(
        toSummarize.id,
        namesIn(read)
          .map((id) => `<${id}>`)
          .join(' '),
      )
      return this.ask(parentId)
    }
    return namesIn(command?.history.map(textOf).join(' ') ?? '')
  }
}

function grown(count: number): Thread & { readonly last: string } {
  const thread = new Thread()
  let last = thread.add(null)
  for (let index = 1; index < count; index++) last = thread.add(last)
  return Object.assign(thread, { last })
}

describe('[S4] a summary', () => {
  test('is used by later turns of its branch, and by no other branch', () => {
    const thread = grown(31)
    thread.ask(thread.last)
    expect([...thread.summaries.keys()]).toEqual(['m23'])
    const later = thread.add(thread.add(thread.last))
    expect(thread.command(later)).toMatchObject({ isHistoryCut: false })
    // Another version of the answer m23, and enough messages below it.
    let other = thread.add('m22')
    for (let index = 0; index < 9; index++) other = thread.add(other)
    const command = thread.command(other)
    expect(command?.toSummarize).toMatchObject({ previous: null })
    expect(thread.ask(other)).not.toContain('m23')
  })

  test('is not used while one of its messages is deleted, and again when it is restored', () => {
    const thread = grown(31)
    thread.ask(thread.last)
    const covered = thread.nodes.get('m5')
    if (!covered) throw new Error('the thread is long')
    covered.isDeleted = true
    expect(thread.command(thread.last)).toMatchObject({ isHistoryCut: true })
    expect(thread.command(thread.last)).not.toHaveProperty('toSummarize')
    covered.isDeleted = false
    expect(thread.command(thread.last)).toMatchObject({ isHistoryCut: false })
  })

  test('is read by a research, which writes none', () => {
    const thread = grown(31)
    expect(thread.command(thread.last, 'research')).not.toHaveProperty('toSummarize')
    thread.ask(thread.last)
    expect(thread.command(thread.last, 'research')).toMatchObject({ isHistoryCut: false })
  })
})

const runs = process.env.PARLEY_LONG ? 300 : 25

test('[S4] no prompt contains a summary of a message that is gone, and none lacks a message of its branch', () => {
  let withSummary = 0
  for (let seed = 0; seed < runs; seed++) {
    const rng = createRng(seed)
    const thread = grown(21)
    let isDamaged = false
    for (let step = 0; step < 12; step++) {
      isDamaged ||= change(thread, rng)
      const questions = [...thread.nodes.keys()].filter((id) => thread.isQuestion(id) && thread.isVisible(id))
      const asked = rng.chance(0.5) ? questions.at(-1) : questions[rng.below(questions.length)]
      if (asked === undefined) break
      const path = thread.pathTo(asked).map(({ id }) => id)
      const named = thread.ask(asked)
      expect(
        named.filter((id) => !path.includes(id)),
        `seed ${seed}`,
      ).toEqual([])
      if (!isDamaged) expect(named.toSorted(), `seed ${seed}`).toEqual(path.toSorted())
      if (named.length > 18) withSummary += 1
    }
  }
  expect(withSummary).toBeGreaterThan(runs)
})

/** A change that a user or the cleanup job can make. True if the thread was damaged instead. */
function change(thread: Thread, rng: Rng): boolean {
  const ids = [...thread.nodes.keys()]
  const any = () => ids[rng.below(ids.length)] ?? 'm0'
  const kind = rng.below(10)
  const node = thread.nodes.get(any())
  if (kind < 4) {
    // Continues a branch, mostly the newest.
    let at = kind < 3 ? (ids.at(-1) ?? 'm0') : any()
    for (let index = 0, count = 2 * (1 + rng.below(6)); index < count; index++) at = thread.add(at)
  } else if (kind < 6) {
    // Another version, as an edit or a new answer makes it.
    let at = thread.add(node?.parentId ?? null)
    for (let index = 0, count = rng.below(12); index < count; index++) at = thread.add(at)
  } else if (kind < 8 && node && node.id !== 'm0') node.isDeleted = true
  else if (kind === 8) for (const one of thread.nodes.values()) one.isDeleted &&= rng.chance(0.5)
  else {
    const isDamage = rng.chance(0.2)
    const purged = isDamage ? any() : [...thread.nodes.values()].find(({ isDeleted }) => isDeleted)?.id
    if (purged !== undefined && purged !== 'm0') thread.purge(purged, isDamage)
    return isDamage
  }
  return false
}
