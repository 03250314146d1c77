/** The sentence of a refusal in the language of the page, chosen by its code. */
import {
  exportsPerHour,
  maxDocumentBytes,
  maxFilesPerMessage,
  maxImageBytes,
  maxMemoryChars,
  maxModelImageBytes,
  maxProjectFiles,
  maxProjectNameChars,
  maxProjects,
  maxPromptChars,
  maxPromptNameChars,
  maxPrompts,
  maxSharedPrompts,
  maxSharedPromptsPerMember,
  maxShares,
  maxThreadBookmarks,
} from '../../../worker/contract/limits.ts'
import { formatDate } from '../i18n/format-dates.ts'
import { formatNumber } from '../i18n/intl-format.ts'
import { type AnyRefusal, isSendingCode, sendingSentence } from './sending-sentence.ts'
import { refusalText } from './texts/en.ts'

export function refusalSentence(refused: AnyRefusal): string {
  const { code, values: { heldBytes, untilMs } = {} } = refused
  if (isSendingCode(code)) return sendingSentence(refused) ?? code
  if (code === 'storage_held' && heldBytes !== undefined && untilMs !== undefined)
    return refusalText('storage_held_by', {
      size: megabytes(Math.ceil(heldBytes / megabyte) * megabyte),
      date: formatDate(untilMs, 'long'),
    })
  if (code === 'file_too_large') return refusalText(code, { image: megabytes(maxImageBytes), pdf: megabytes(maxDocumentBytes) })
  if (code === 'image_too_large') return refusalText(code, { image: megabytes(maxModelImageBytes) })
  return refusalText(code, { max: formatNumber(limits[code] ?? 0) })
}

const megabyte = 1024 * 1024
const megabytes = (bytes: number): string => formatNumber(bytes / megabyte, { style: 'unit', unit: 'megabyte' })

/** `max` of a sentence. */
const limits: { readonly [Code in AnyRefusal['code']]?: number } = {
  project_name: maxProjectNameChars,
  project_limit_reached: maxProjects,
  project_files_full: maxProjectFiles,
  prompt_name: maxPromptNameChars,
  prompt_text: maxPromptChars,
  memory_text: maxMemoryChars,
  prompt_limit_reached: maxPrompts,
  shared_prompt_limit_reached: maxSharedPrompts,
  member_prompt_limit_reached: maxSharedPromptsPerMember,
  bookmark_limit_reached: maxThreadBookmarks,
  share_limit_reached: maxShares,
  too_many_files: maxFilesPerMessage,
  exports_too_often: exportsPerHour,
}
