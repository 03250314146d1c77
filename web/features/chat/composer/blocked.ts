/** Why the message in the composer cannot be sent now. The server applies the same functions. */
import { contentRefusal, creditsForAll, modelRefusal, type Plan, sendRefusal } from '../../../../worker/contract/access.ts'
import { type Refusal, refusal } from '../../../../worker/contract/errors.ts'
import { type AttachedFile, filePart, fileRefusal } from '../../../../worker/contract/files/files.ts'
import { maxMessageChars } from '../../../../worker/contract/limits.ts'
import type { isMessageTooLong as isTooLong } from '../../../../worker/contract/models/context-budget.ts'
import { isBlank } from '../../../../worker/contract/text.ts'
import { loadLater } from '../../../lib/lazy-part.ts'
import type { ModelRow, UsageRow } from '../../../sync/rows.ts'
import type { Upload } from './uploads.ts'

/** Not part of the first load. Until it is loaded, the server alone checks the length. */
export const lengthCheck = loadLater(() =>
  import('../../../../worker/contract/models/context-budget.ts').then((module) => module.isMessageTooLong),
)

export type ComposerState = {
  readonly text: string
  readonly files: readonly AttachedFile[]
  readonly uploads: readonly Pick<Upload, 'mediaType' | 'failure'>[]
  /** One of the files is no longer stored. */
  readonly isFileMissing?: boolean
  /** An answer is streaming: the message would be queued. */
  readonly isBusy: boolean
  /** An earlier message is being edited. An edit cannot be queued, because its answer would follow another message. */
  readonly isEditing: boolean
  readonly viewer: { readonly plan: Plan; readonly usage: UsageRow | undefined; readonly model: ModelRow | undefined } | undefined
  /** The other models of a comparison. */
  readonly others?: readonly ModelRow[]
  /** The expected cost of the message, or of the plan of a research. Until it is known, the credits of the models count, and the server alone checks the rest. */
  readonly quote?: { readonly expected: number; readonly exceedsLimit: boolean } | null | undefined
  /** The value of `lengthCheck`. */
  readonly isMessageTooLong: typeof isTooLong | null
}

/** The first applicable reason, ordered by what the user can act on. Null if the message can be sent. */
export function blockedBy(
  { text, files, uploads, isFileMissing, isBusy, isEditing, viewer, others = [], quote, isMessageTooLong }: ComposerState,
  nowMs: number,
): Refusal | null {
  if (isBusy && isEditing) return refusal('thread_busy')
  const attached = [...files, ...uploads]
  if (isBlank(text) && attached.length === 0) return refusal('message_empty')
  if (text.length > maxMessageChars) return refusal('message_too_long', { max: maxMessageChars, excess: text.length - maxMessageChars })
  const models = [viewer?.model, ...others]
  const byFile = models.map((model) => fileRefusal(model, attached)).find(Boolean)
  if (byFile) return byFile
  if (isFileMissing) return refusal('file_missing')
  if (uploads.some(({ failure }) => failure)) return refusal('file_failed')
  if (uploads.length > 0) return refusal('files_uploading')
  // The user is not loaded for a moment after the page opens; the server still checks.
  if (!viewer) return null
  const { plan, usage } = viewer
  const parts = [{ type: 'text' as const, text }, ...files.map(filePart)]
  if (isMessageTooLong && models.some((model) => model && isMessageTooLong({ parts }, plan, model))) return refusal('message_over_budget')
  const byContent = contentRefusal(plan, usage)
  if (byContent) return byContent
  // A queued message is charged when it is sent; the credits may have been reset by then.
  const credits = quote?.expected ?? creditsForAll(models)
  const byModel = models
    .map((model) => (isBusy && model ? modelRefusal(plan, model) : sendRefusal(plan, model, usage, nowMs, credits)))
    .find(Boolean)
  if (!byModel && !isBusy && quote?.exceedsLimit) return refusal('turn_credits_short')
  // `chosenModel` returns such a model only if no model is available, so the user cannot choose another one.
  return byModel?.code === 'model_not_connected' ? refusal('no_model_connected') : (byModel ?? null)
}
