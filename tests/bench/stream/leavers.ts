/** Answers whose readers disconnect in the middle: each is completed, stored and charged once. */
import type { Benchmark } from '../../../scripts/lib/benchmark.ts'
import { openRecord } from '../../support/record-file.ts'
import { createRng, type Rng } from '../../support/rng.ts'
import { newAsker, turnsPerGuest, withProvider } from './turns.ts'

const leavers = 1000
const words = 60
const atOnce = 4

/** One guest's turns in sequence. */
async function leaveAgainAndAgain(url: string, turns: number, rng: Rng): Promise<string[]> {
  const answers: string[] = []
  const asker = await newAsker(url)
  for (let index = 0; index < turns; index++) {
    const turn = asker.ask()
    answers.push(turn.answerId)
    const stream = await asker.read(turn)
    await stream.untilWord(1 + rng.below(words - 10))
    stream.stop()
    // The last one also closes the socket while its answer streams.
    if (index < turns - 1) await turn.ready
  }
  await asker.client.close()
  return answers
}

const storedQuery = `
  select (select status from generation where id = ?1) status,
         (select sum(length(json_extract(part.value, '$.text')) - length(replace(json_extract(part.value, '$.text'), ' ', '')))
            from message, json_each(message.message, '$.parts') part
            where message.id = ?1 and json_extract(part.value, '$.type') = 'text') words,
         (select count(*) from creditLedger where generationId = ?1 and kind = 'settle') settled,
         (select count(*) from creditLedger where generationId = ?1) entries,
         (select sum(credits) from creditLedger where generationId = ?1) paid,
         (select credits from generation where id = ?1) price`

type Stored = Readonly<Record<'words' | 'settled' | 'entries' | 'paid' | 'price', number | null>> & { readonly status: string | null }

/** The stored state of each answer, after all have ended. */
async function storedAnswers(stateDir: string, answers: readonly string[]): Promise<readonly Stored[]> {
  const record = openRecord(stateDir, true)
  try {
    const statement = record.prepare(storedQuery)
    for (;;) {
      const found = answers.map((id) => statement.get(id) as unknown as Stored)
      if (found.every(({ status }) => status !== null && status !== 'open')) return found
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  } finally {
    record.close()
  }
}

export const benchmarks: readonly Benchmark[] = [
  {
    id: 'T5',
    name: `answers whose readers all left, of ${leavers}`,
    unit: 'of them',
    run: () =>
      withProvider({ words, everyMs: 1 }, async (product) => {
        const rng = createRng(5)
        const answers: string[] = []
        const runUser = async (): Promise<void> => {
          for (let left = leavers / atOnce; left > 0; left -= turnsPerGuest)
            answers.push(...(await leaveAgainAndAgain(product.url, Math.min(left, turnsPerGuest), rng)))
        }
        await Promise.all(Array.from({ length: atOnce }, runUser))
        const stored = await storedAnswers(product.stateDir, answers)
        const whole = stored.filter(({ status, words: found }) => status === 'completed' && found === words)
        const paidOnce = stored.filter(({ settled, entries, paid, price }) => settled === 1 && entries === 2 && paid === price)
        return [
          { at: 'stored whole', value: whole.length, floor: leavers, mustHold: { least: leavers } },
          { at: 'charged once', value: paidOnce.length, floor: leavers, mustHold: { least: leavers } },
        ]
      }),
  },
]
