/** Rows as the interface reads them, so that features need not know the sync library. */
import type { CreditState, Plan } from '../../worker/contract/access.ts'
import type { RowOf } from '../../worker/contract/schema.ts'

export type UserRow = RowOf<'user'>
export type SettingRow = RowOf<'setting'>
export type UsageRow = RowOf<'usage'>
export type CustomerRow = RowOf<'userCustomer'>
export type ModelRow = RowOf<'model'>
export type ThreadRow = RowOf<'thread'>
export type MessageRow = RowOf<'message'>
export type QueuedRow = RowOf<'queuedMessage'>
export type ThreadWithMessages = ThreadRow & { readonly messages: readonly MessageRow[]; readonly queue: readonly QueuedRow[] }
export type SettingWithModel = SettingRow & { readonly model: ModelRow | undefined }
export type UserWithRelated = UserRow & {
  readonly setting: SettingWithModel | undefined
  readonly usage: UsageRow | undefined
  readonly customer: CustomerRow | undefined
}

export type MembershipWithCustomer = RowOf<'member'> & {
  readonly organization: { readonly customer: RowOf<'organizationCustomer'> | undefined } | undefined
}

/** Who I am, with what follows from it today. */
export type Me = {
  readonly user: UserRow
  readonly setting: SettingRow | undefined
  readonly usage: UsageRow | undefined
  readonly customer: CustomerRow | undefined
  /** Of the next message: the chosen one, or what takes its place where it is out of reach. */
  readonly model: ModelRow | undefined
  readonly plan: Plan
  readonly credits: CreditState
  /** Only the page says so: this browser has no rows yet, and cannot decide what they would. */
  readonly isServed: boolean
}
