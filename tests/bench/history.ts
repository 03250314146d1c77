/** Users with existing data: inserts rows into the database of a stopped product; triggers run as usual. */
import { type Guest, newGuest } from '../support/guest.ts'
import { type Product, startProduct, unlimitedWrites } from '../support/product.ts'
import { openRecord } from '../support/record-file.ts'

/** `newest`: messages of the newest thread; the other threads share the rest of `messages`. */
export type History = {
  readonly threads: number
  readonly messages: number
  readonly newest?: number
  /** The texts of the answers, in turn. By default all messages have the same text. */
  readonly answers?: readonly string[]
}

const words = 'What was said in this message, which is as long as such messages are. '
/** About the length of an average chat message. */
const messageChars = 450
const text = words.repeat(Math.ceil(messageChars / words.length)).slice(0, messageChars)
const startedAtMs = 1_780_000_000_000

export const threadIdOf = ({ userId }: Guest, index: number): string => `thread-${index}-${userId}`.slice(0, 64)

/** One guest for each history, and the product that has them. Its objects are new. */
export async function withHistories<Result>(
  histories: readonly History[],
  run: (product: Product, guests: readonly Guest[]) => Promise<Result>,
  env: Readonly<Record<string, string>> = {},
): Promise<Result> {
  const product = await startProduct({ env: { ...unlimitedWrites, ...env } })
  try {
    const guests: Guest[] = []
    for (const _ of histories) guests.push(await newGuest(product.url))
    await product.kill9()
    write(product.stateDir, guests, histories)
    await product.restart()
    return await run(product, guests)
  } finally {
    await product.stop()
  }
}

function write(stateDir: string, guests: readonly Guest[], histories: readonly History[]): void {
  const record = openRecord(stateDir)
  record.exec('begin')
  const thread = record.prepare(
    `insert into thread (id, userId, title, status, headId, createdAt, updatedAt) values (?, ?, ?, 'ready', ?, ?, ?)`,
  )
  const message = record.prepare('insert into message (id, threadId, userId, parentId, message, createdAt) values (?, ?, ?, ?, ?, ?)')
  for (const [at, { threads, messages, newest = Math.floor(messages / threads), answers = [text] }] of histories.entries()) {
    const guest = guests[at]
    if (!guest) continue
    for (let index = 0; index < threads; index++) {
      const id = threadIdOf(guest, index)
      // The last thread is the newest.
      const count = index === threads - 1 ? newest : Math.floor((messages - newest) / (threads - 1))
      const atMs = startedAtMs + index * 60_000
      const idOf = (number: number) => `m${index}-${number}-${guest.userId}`.slice(0, 64)
      thread.run(id, guest.userId, `Thread number ${index}`, count > 0 ? idOf(count - 1) : null, atMs, atMs + count)
      for (let number = 0; number < count; number++) {
        const role = number % 2 === 0 ? 'user' : 'assistant'
        const own = role === 'user' ? text : answers[(number >> 1) % answers.length]
        const json = JSON.stringify({
          id: idOf(number),
          role,
          parts: [{ type: 'text', text: own }],
          ...(role === 'user' ? {} : { metadata }),
        })
        message.run(idOf(number), id, guest.userId, number > 0 ? idOf(number - 1) : null, json, atMs + number)
      }
    }
  }
  record.exec('commit')
  record.close()
}

const metadata = { modelId: 'kimi-k2', modelName: 'Kimi K2', modelIcon: 'kimi', ending: 'completed', credits: 1, durationMs: 1000 }
