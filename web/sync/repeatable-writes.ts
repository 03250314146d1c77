/**
 * The mutations that are repeated after their page closed, and the value that each changes. One that is not in the table is lost with a page that
 * closes within a second of it. How a value is read is in `values-now.ts`.
 */
import { definitions, type SettingArgs } from '../../worker/contract/mutators.ts'

type Repeatable<Args> = {
  /** Of the changed value: a later write with the same key replaces an earlier one. */
  key(args: Args): string
  /** The value after the write. Without it, repeating a write that has arrived would be refused. */
  leaves?(args: Args): unknown
}

/** The part of a mutator's definition that parses its arguments (Standard Schema). */
type Definition<Args> = {
  readonly validator:
    | { readonly '~standard': { validate(value: unknown): unknown; readonly types?: { readonly input: Args } | undefined } }
    | undefined
}

type Entry<Args extends object> = Definition<Args> & Repeatable<Args>
const entry = <Args extends object>({ validator }: Definition<Args>, how: Repeatable<NoInfer<Args>>): Entry<Args> => ({ validator, ...how })

/** Of a message that is sent or queued. */
export const messageKey = (messageId: string): string => `message.${messageId}`
const stepKey = ({ messageId, stepId }: { readonly messageId: string; readonly stepId: string }): string => `step.${messageId}.${stepId}`

/** By the name of the mutator. */
const repeatable = {
  'threads.rename': entry(definitions.threads.rename, { key: ({ threadId }) => `title.${threadId}`, leaves: ({ title }) => title.trim() }),
  'threads.delete': entry(definitions.threads.delete, { key: ({ threadIds }) => `deletion.${threadIds}` }),
  'threads.send': entry(definitions.threads.send, { key: ({ messageId }) => messageKey(messageId) }),
  'settings.update': entry(definitions.settings.update, {
    key: (changes) => `setting.${Object.keys(changes)}`,
    leaves: (changes) => changes,
  }),
  'queue.add': entry(definitions.queue.add, { key: ({ id }) => messageKey(id) }),
  'queue.remove': entry(definitions.queue.remove, { key: ({ id }) => `queued.${id}` }),
  'research.putStep': entry(definitions.research.putStep, { key: stepKey, leaves: ({ text }) => text }),
  'research.removeStep': entry(definitions.research.removeStep, { key: stepKey, leaves: () => null }),
  'research.dismiss': entry(definitions.research.dismiss, {
    key: ({ messageId }) => `plan.${messageId}`,
    leaves: ({ isDismissed }) => isDismissed,
  }),
  'research.start': entry(definitions.research.start, { key: ({ answerId }) => `start.${answerId}` }),
}

/** The arguments by the name of the mutator. */
export type RepeatedArgs = {
  readonly [Name in keyof typeof repeatable]: (typeof repeatable)[Name] extends Entry<infer Args> ? Args : never
}

type Mutated = { readonly name: string; readonly args: object }

const howOf = ({ name }: Mutated): Entry<object> | undefined =>
  Object.hasOwn(repeatable, name) ? (repeatable[name as keyof typeof repeatable] as Entry<object>) : undefined

/** False for a mutation that this version of the page does not repeat. */
export const isRepeatable = (name: string): boolean => Object.hasOwn(repeatable, name)

/** False for arguments that are damaged, or of another version of the page. */
export function hasValidArgs(write: Mutated): boolean {
  const parsed = howOf(write)?.validator?.['~standard'].validate(write.args)
  return typeof parsed === 'object' && parsed !== null && !('issues' in parsed)
}

export const keyOf = (write: Mutated): string => howOf(write)?.key(write.args) ?? write.name
export const valueAfter = (write: Mutated): unknown => howOf(write)?.leaves?.(write.args)

/** What the write of a message may find. */
export const noMessage = { inThread: 'no message', asFirst: 'no thread' } as const

/** The settings of the same names. */
export const settingsOf = (setting: { readonly [name: string]: unknown } | undefined, changes: SettingArgs): object =>
  Object.fromEntries(Object.keys(changes).map((name) => [name, setting?.[name] ?? null]))
