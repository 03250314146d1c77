/**
 * Inserts what the user chose from a server: files become attachments as if the user had chosen them, and text enters the draft at the caret. The
 * draft keeps the server as an origin of its text, so that a call that could carry the text elsewhere asks first (ADR 0152).
 */
import { flushSync } from 'react-dom'
import { refusal } from '../../../../../worker/contract/errors.ts'
import type { ServerFile, ServerParts } from '../../../../../worker/contract/http.ts'
import { wantsLogin } from '../../../../../worker/contract/tools/tool-servers.ts'
import { formatList } from '../../../../lib/i18n/format-dates.ts'
import { pageSettings } from '../../../../lib/page-settings.ts'
import { refusalSentence } from '../../../../lib/refusals/sentence.ts'
import { callServers, idPath, reasonOf } from '../../../../lib/tool-servers/server-calls.ts'
import { attach, refusedText } from '../attach-files.ts'
import { choicesWithOrigin, draftOf, setDraft } from '../drafts.ts'
import { pastedName } from '../pasted-text.ts'
import type { ServerChoice, ServerProblem } from './server-choice.ts'
import { t } from './texts/en.ts'

type Values = { readonly [name: string]: string }

/** Null if everything was inserted. */
export async function insertChoice(choice: ServerChoice, args: Values): Promise<ServerProblem | null> {
  const { draftKey, server, kind, entry } = choice
  if (kind === 'resource' && !pageSettings.files)
    return { text: refusalSentence(refusal('files_unavailable')), isLogin: false, isInserted: false }
  const body = kind === 'resource' ? { uri: entry.uri, args } : { name: entry.name, args }
  const outcome = await callServers('POST', idPath(server.id, kind), body)
  const { title } = entry
  if (!outcome.ok || !outcome.body.parts) {
    const isLogin = outcome.ok && outcome.body.failure != null && wantsLogin(outcome.body.failure)
    return { text: t('notRead', { title, reason: reasonOf(outcome) ?? refusalSentence(refusal('internal')) }), isLogin, isInserted: false }
  }
  const { parts } = outcome.body
  insertAtCaret(draftKey, parts.text, server.id)
  const texts = [await attached(draftKey, parts.files), leftText(parts), isEmpty(parts) && t('nothing', { title })]
  const text = texts.filter((one) => one !== '' && one !== false).join(' ')
  return text === '' ? null : { text, isLogin: false, isInserted: true }
}

const isEmpty = ({ text, files, left }: ServerParts): boolean => text.trim() === '' && files.length === 0 && left.count === 0

const leftText = ({ left: { count, names } }: ServerParts): string =>
  count === 0 ? '' : t('leftParts', { count, names: formatList(names) })

/** The files that cannot be attached, with the reasons. */
async function attached(draftKey: string, files: readonly ServerFile[]): Promise<string> {
  if (files.length === 0) return ''
  if (!pageSettings.files) return refusalSentence(refusal('files_unavailable'))
  return refusedText(await attach(draftKey, files.map(asFile)))
}

/** The type is detected from the bytes, as for a file that the user chose. */
function asFile(file: ServerFile): File {
  const content = 'text' in file ? file.text : Uint8Array.from(atob(file.data), (character) => character.charCodeAt(0))
  // A server must not name its file as a text that the user pasted, which can be turned back into text of the user.
  return new File([content], pastedName(file.name) === null ? file.name : `server-${file.name}`)
}

/** The composer may show another draft meanwhile. Then the text is added at the end. */
function insertAtCaret(draftKey: string, inserted: string, serverId: string): void {
  if (inserted === '') return
  const { text } = draftOf(draftKey).get()
  const field = document.querySelector<HTMLTextAreaElement>(`[data-composer="${CSS.escape(draftKey)}"] textarea`)
  const [start, end] = field?.value === text ? [field.selectionStart, field.selectionEnd] : [text.length, text.length]
  const choices = choicesWithOrigin(draftKey, serverId)
  flushSync(() => setDraft(draftKey, { text: text.slice(0, start) + inserted + text.slice(end), choices }))
  field?.focus({ preventScroll: true })
  field?.setSelectionRange(start + inserted.length, start + inserted.length)
}
