/** Row types for features, which do not import the sync library. */
import type { CreditState, Plan } from '../../worker/contract/access.ts'
import type { RowOf } from '../../worker/contract/schema.ts'

type UserRow = RowOf<'user'>
type SettingRow = RowOf<'setting'>
export type UsageRow = RowOf<'usage'>
export type DailyUseRow = RowOf<'dailyUse'>
type CustomerRow = RowOf<'userCustomer'>
export type ModelRow = RowOf<'model'>
export type ThreadRow = RowOf<'thread'>
export type ProjectRow = RowOf<'project'>
export type MessageRow = RowOf<'message'>
export type BookmarkRow = MessageRow & { readonly thread: ThreadRow }
export type PromptRow = RowOf<'prompt'>
export type SharedPromptRow = RowOf<'sharedPrompt'>
export type MemoryRow = RowOf<'memory'>
export type DraftRow = RowOf<'draft'>
export type ApprovalRow = RowOf<'approval'>
export type ToolServerRow = RowOf<'toolServer'>
export type OrganizationToolServerRow = RowOf<'organizationToolServer'>
export type ShareRow = RowOf<'share'>
export type SummaryRow = RowOf<'summary'>
export type QueuedRow = RowOf<'queuedMessage'>
export type ThreadWithMessages = ThreadRow & {
  readonly messages: readonly MessageRow[]
  readonly queue: readonly QueuedRow[]
  /** Inlined into the page, for the time before the catalogue has arrived. */
  readonly model?: ModelRow | null | undefined
}
export type SettingWithModel = SettingRow & { readonly model: ModelRow | undefined }
export type UserWithRelated = UserRow & {
  readonly setting: SettingWithModel | undefined
  readonly usage: UsageRow | undefined
  readonly customer: CustomerRow | undefined
}

export type MembershipWithCustomer = RowOf<'member'> & {
  readonly organization: { readonly customer: RowOf<'organizationCustomer'> | undefined } | undefined
}

/** The current user, with values derived for today. */
export type Me = {
  readonly user: UserRow
  readonly setting: SettingRow | undefined
  readonly usage: UsageRow | undefined
  readonly customer: CustomerRow | undefined
  /** The user's model, for new threads: the selected one, or its replacement if it is unavailable. In a thread, the model of the next message. */
  readonly model: ModelRow | undefined
  readonly plan: Plan
  readonly credits: CreditState
  /** True while the values come from the inlined page only, because no local rows exist yet. */
  readonly isServed: boolean
}
