/**
 * Merges local rows with the rows inlined into the page: of each row the newer one, the local one if they are equally old. No side effects.
 */
import type { FirstPage, ThreadEnd } from '../../worker/contract/first-page.ts'
import type { Subscription } from '../../worker/contract/organizations/subscription.ts'
import type { MembershipWithCustomer, ModelRow, SettingWithModel, ThreadRow, ThreadWithMessages, UserWithRelated } from './rows.ts'

type Dated = { readonly id: string; readonly updatedAt?: number | null }

export function newerOfEach<T extends Dated>(local: readonly T[], served: readonly T[]): T[] {
  const rows = new Map(served.map((row) => [row.id, row]))
  for (const row of local) if ((row.updatedAt ?? 0) >= (rows.get(row.id)?.updatedAt ?? 0)) rows.set(row.id, row)
  return [...rows.values()]
}

/** In the order of the query: newest first, then by id. */
export const mergeThreads = (local: readonly ThreadRow[], served: readonly ThreadRow[], limit: number): readonly ThreadRow[] =>
  newerOfEach(local, served)
    .sort((a, b) => b.updatedAt - a.updatedAt || (a.id < b.id ? -1 : 1))
    .slice(0, limit)

type ServedThread = Omit<ThreadEnd, 'project' | 'model'> & Pick<ThreadWithMessages, 'model'>

/** Sending a message before the thread has arrived creates a local row without title and earlier messages. */
export function mergeThread(local: ThreadWithMessages | undefined, served: ServedThread): ThreadWithMessages {
  if (!local) return { ...served, queue: [] }
  const newer = local.updatedAt >= served.updatedAt ? local : served
  const messages = newerOfEach(local.messages, served.messages).sort((a, b) => (a.createdAt ?? 0) - (b.createdAt ?? 0))
  return { ...newer, title: newer.title ?? served.title, messages, queue: local.queue, model: served.model }
}

/** The rows, followed by those of `others` that are missing. */
export function withMissing<T extends { readonly id: string }>(rows: readonly T[], others: readonly T[]): readonly T[] {
  if (others.length === 0) return rows
  return [...new Map([...others, ...rows].map((row) => [row.id, row])).values()]
}

/** The result that `queries.me` would return; undefined if the page has none. */
export function servedMe({ user, settings, model, usage, customer }: FirstPage): UserWithRelated | undefined {
  if (!user) return undefined
  const setting: SettingWithModel | undefined = settings ? { ...settings, model: model ?? undefined } : undefined
  return { ...user, setting, usage: usage ?? undefined, customer: customer ?? undefined }
}

/** Only the server writes payments, so the inlined value, read for this page, is never older than the local row. */
export function mergeMe(local: UserWithRelated | undefined, served: FirstPage | null, isFromD1: boolean): UserWithRelated | undefined {
  if (!local) return served ? servedMe(served) : undefined
  return served && isFromD1 ? { ...local, customer: served.customer ?? undefined } : local
}

/** The catalogue, with the inlined model and the model of the settings if the catalogue lacks them, as it does until it has arrived. */
export function knownModels(local: readonly ModelRow[], ...others: readonly (ModelRow | null | undefined)[]): readonly ModelRow[] {
  const missing = others.filter((model) => model != null && !local.some(({ id }) => id === model.id)) as readonly ModelRow[]
  return missing.length > 0 ? [...local, ...missing] : local
}

/** Subscriptions that organizations pay for their members. */
export function sharedSubscriptions(
  local: readonly MembershipWithCustomer[],
  served: FirstPage | null,
  isFromD1: boolean,
): readonly (Subscription | null | undefined)[] {
  if (served && (isFromD1 || local.length === 0)) return served.organizationCustomers.map(({ subscription }) => subscription)
  return local.map(({ organization }) => organization?.customer?.subscription)
}
