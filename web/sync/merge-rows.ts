/** Rows of this browser together with those that the page was served with: of each row the newer one, the browser's when neither is. Pure. */
import type { FirstPage, ThreadEnd } from '../../worker/contract/first-page.ts'
import type { Subscription } from '../../worker/contract/subscription.ts'
import type { MembershipWithCustomer, ModelRow, SettingWithModel, ThreadRow, ThreadWithMessages, UserWithRelated } from './rows.ts'

type Dated = { readonly id: string; readonly updatedAt?: number | null }

function newerOfEach<T extends Dated>(local: readonly T[], served: readonly T[]): T[] {
  const rows = new Map(served.map((row) => [row.id, row]))
  for (const row of local) if ((row.updatedAt ?? 0) >= (rows.get(row.id)?.updatedAt ?? 0)) rows.set(row.id, row)
  return [...rows.values()]
}

/** In the order of the query: newest first, and by id where that says nothing. */
export const mergeThreads = (local: readonly ThreadRow[], served: readonly ThreadRow[], limit: number): readonly ThreadRow[] =>
  newerOfEach(local, served)
    .sort((a, b) => b.updatedAt - a.updatedAt || (a.id < b.id ? -1 : 1))
    .slice(0, limit)

/** A message sent before the thread has arrived makes a local row that knows neither its title nor what came before. */
export function mergeThread(local: ThreadWithMessages | undefined, served: ThreadEnd): ThreadWithMessages {
  if (!local) return { ...served, queue: [] }
  const newer = local.updatedAt >= served.updatedAt ? local : served
  const messages = newerOfEach(local.messages, served.messages).sort((a, b) => (a.createdAt ?? 0) - (b.createdAt ?? 0))
  return { ...newer, title: newer.title ?? served.title, messages, queue: local.queue }
}

/** The rows, and those of `others` that are not among them. */
export function withMissing<T extends { readonly id: string }>(rows: readonly T[], others: readonly T[]): readonly T[] {
  if (others.length === 0) return rows
  return [...new Map([...others, ...rows].map((row) => [row.id, row])).values()]
}

/** The row that the query of me would have found; undefined when the page was served without it. */
export function servedMe({ user, settings, model, usage, customer }: FirstPage): UserWithRelated | undefined {
  if (!user) return undefined
  const setting: SettingWithModel | undefined = settings ? { ...settings, model: model ?? undefined } : undefined
  return { ...user, setting, usage: usage ?? undefined, customer: customer ?? undefined }
}

/** Who paid for what is nothing that a browser writes: the record's word, read for this page, is never older than a kept row. */
export function mergeMe(local: UserWithRelated | undefined, served: FirstPage | null, isRecord: boolean): UserWithRelated | undefined {
  if (!local) return served ? servedMe(served) : undefined
  return served && isRecord ? { ...local, customer: served.customer ?? undefined } : local
}

/** The catalogue, and what is known of it before it is here: the model that the page was served with, and the one that the setting names. */
export function knownModels(local: readonly ModelRow[], ...others: readonly (ModelRow | null | undefined)[]): readonly ModelRow[] {
  const missing = others.filter((model) => model != null && !local.some(({ id }) => id === model.id)) as readonly ModelRow[]
  return missing.length > 0 ? [...local, ...missing] : local
}

/** What organizations pay for their members. */
export function sharedSubscriptions(
  local: readonly MembershipWithCustomer[],
  served: FirstPage | null,
  isRecord: boolean,
): readonly (Subscription | null | undefined)[] {
  if (served && (isRecord || local.length === 0)) return served.organizationCustomers.map(({ subscription }) => subscription)
  return local.map(({ organization }) => organization?.customer?.subscription)
}
