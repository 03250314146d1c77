/**
 * Reads the pages of one research step, selected from its results. Invariant: the notes are made from the pages that the step shows as read,
 * also after a restart that finds more results.
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
      // The text of a page is not stored, so it is read again; without it the notes are made from the other pages.
      const known = journal.call(id)
      if (known && pageOutputOf(known)) return (await read().catch(() => null))?.value ?? null
      return journal.once({ id, tool: readPageTool, input: { url, step: step.id } }, read, signal)
    }),
  )
  return pages.filter((page) => page !== null)
}

/** The best result of each search first, without pages of earlier steps. */
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

/** A page keeps its call. A new page gets the first free number. */
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
