/**
 * The mutations that are repeated after their page closed, and the value that each changes. One that is not in the table is lost with a page that
 * closes within a second of it. How a value is read is in `values-now.ts`.
 */
import type { definitions, SettingArgs } from '../../worker/contract/mutators.ts'

type Repeatable<Args> = {
  /** Identifies the changed value: a later write with the same key replaces an earlier one. */
  key(args: Args): string
  /** The value after the write. Without it, repeating a write that has arrived would be refused. */
  leaves?(args: Args): unknown
}

type Definitions = typeof definitions
type ArgsOf<Definition> = Definition extends {
  readonly validator: { readonly '~standard': { readonly types?: { readonly input: infer Args } | undefined } } | undefined
}
  ? Args
  : never

/** The arguments by the name of the mutator. */
export type RepeatedArgs = {
  readonly 'threads.rename': ArgsOf<Definitions['threads']['rename']>
  readonly 'threads.delete': ArgsOf<Definitions['threads']['delete']>
  readonly 'threads.send': ArgsOf<Definitions['threads']['send']>
  readonly 'settings.update': ArgsOf<Definitions['settings']['update']>
  readonly 'queue.add': ArgsOf<Definitions['queue']['add']>
  readonly 'queue.remove': ArgsOf<Definitions['queue']['remove']>
  readonly 'research.putStep': ArgsOf<Definitions['research']['putStep']>
  readonly 'research.removeStep': ArgsOf<Definitions['research']['removeStep']>
  readonly 'research.dismiss': ArgsOf<Definitions['research']['dismiss']>
  readonly 'research.start': ArgsOf<Definitions['research']['start']>
}

/** The key of a message that is sent or queued. */
export const messageKey = (messageId: string): string => `message.${messageId}`
const stepKey = ({ messageId, stepId }: { readonly messageId: string; readonly stepId: string }): string => `step.${messageId}.${stepId}`

const repeatable: { readonly [Name in keyof RepeatedArgs]: Repeatable<RepeatedArgs[Name]> } = {
  'threads.rename': { key: ({ threadId }) => `title.${threadId}`, leaves: ({ title }) => title.trim() },
  'threads.delete': { key: ({ threadIds }) => `deletion.${threadIds}` },
  'threads.send': { key: ({ messageId }) => messageKey(messageId) },
  'settings.update': { key: (changes) => `setting.${Object.keys(changes)}`, leaves: (changes) => changes },
  'queue.add': { key: ({ id }) => messageKey(id) },
  'queue.remove': { key: ({ id }) => `queued.${id}` },
  'research.putStep': { key: stepKey, leaves: ({ text }) => text },
  'research.removeStep': { key: stepKey, leaves: () => null },
  'research.dismiss': { key: ({ messageId }) => `plan.${messageId}`, leaves: ({ isDismissed }) => isDismissed },
  'research.start': { key: ({ answerId }) => `start.${answerId}` },
}

type Mutated = { readonly name: string; readonly args: object }

const howOf = ({ name }: Mutated) => repeatable[name as keyof RepeatedArgs] as Repeatable<object>

/** False for a mutation that this version of the page does not repeat. */
export const isRepeatable = (name: string): boolean => Object.hasOwn(repeatable, name)

export const keyOf = (write: Mutated): string => howOf(write).key(write.args)
export const valueAfter = (write: Mutated): unknown => howOf(write).leaves?.(write.args)

/** What the write of a message may find. */
export const noMessage = { inThread: 'no message', asFirst: 'no thread' } as const

/** The settings of the same names. */
export const settingsOf = (setting: { readonly [name: string]: unknown } | undefined, changes: SettingArgs): object =>
  Object.fromEntries(Object.keys(changes).map((name) => [name, setting?.[name] ?? null]))
