/**
 * The pages that one step of a research opens, of those that its searches found. Always holds: what the step shows as read is what its notes
 * are made from, also when it is taken up again and its searches have found more than before.
 */
import type { ReadonlyJSONValue } from '@rocicorp/zero'
import { maxPagesPerStep } from '../../contract/limits.ts'
import { type PlanStep, pageCallId, stepOf } from '../../contract/research.ts'
import { askedOf, isPageRead, pageOutputOf, readPageTool, type SearchOutput } from '../../contract/tools.ts'
import { type ReadPage, shownOutput, type TurnWeb } from '../tools/turn-web.ts'
import type { Journal } from './journal.ts'

export type Reading = { readonly journal: Journal; readonly web: TurnWeb; readonly signal: AbortSignal }

export async function readPages(
  step: PlanStep,
  searches: readonly (SearchOutput | null)[],
  { journal, web, signal }: Reading,
): Promise<readonly ReadPage[]> {
  const calls = journal.parts.filter(isPageRead)
  const mine = calls.filter((call) => stepOf(call) === step.id)
  const others = calls.filter((call) => stepOf(call) !== step.id)
  const best = bestOf(searches, new Set(others.map((call) => pageOutputOf(call)?.number)))
  const readBefore = mine.filter((call) => pageOutputOf(call) !== null).map(askedOf)
  const idFor = idsOf(step, new Map(mine.map((call) => [askedOf(call), call.toolCallId])))
  const chosen = [...new Set([...best, ...readBefore])].map((url) => ({ url, id: idFor(url) }))
  const pages = await Promise.all(
    chosen.map(async ({ url, id }) => {
      const read = async () => {
        const page = await web.readPage(url, signal)
        return { value: page, shown: shownOutput(page) as ReadonlyJSONValue }
      }
      // Its text is not kept. A page is nobody's bill: it is fetched again, and when that fails its notes do without it.
      const known = journal.call(id)
      if (known && pageOutputOf(known)) return (await read().catch(() => null))?.value ?? null
      return journal.once({ id, tool: readPageTool, input: { url, step: step.id } }, read, signal)
    }),
  )
  return pages.filter((page) => page !== null)
}

/** The best of each search, the first of all first, and no page that an earlier step has read. */
function bestOf(searches: readonly (SearchOutput | null)[], read: ReadonlySet<number | undefined>): readonly string[] {
  const ranks = searches.map((search) => search?.results ?? [])
  const inTurn = Array.from({ length: Math.max(0, ...ranks.map(({ length }) => length)) }, (_, rank) =>
    ranks.flatMap((list) => list[rank] ?? []),
  )
  const seen = new Set(read)
  return inTurn
    .flat()
    .filter(({ number }) => !seen.has(number) && seen.add(number))
    .slice(0, maxPagesPerStep)
    .map(({ url }) => url)
}

/** A page keeps the call that was made for it; the next one has the first place that is free. */
function idsOf(step: PlanStep, known: ReadonlyMap<string, string>): (url: string) => string {
  const taken = new Set(known.values())
  return (url) => {
    const before = known.get(url)
    if (before !== undefined) return before
    let place = 0
    while (taken.has(pageCallId(step.id, place))) place += 1
    const id = pageCallId(step.id, place)
    taken.add(id)
    return id
  }
}
