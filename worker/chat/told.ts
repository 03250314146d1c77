/**
 * What a model is told of an answer, in words. Vendors reject each other's thoughts and calls of tools, and take no file from the model's
 * side of a conversation; but whatever the person was shown, they may speak of next.
 */
import { type ChatMessage, type FilePart, type MessagePart, textOf } from '../contract/messages.ts'
import { findingsCallId, findingsOf, isWaitingPlan, type Plan, planOf, planText } from '../contract/research.ts'
import { isToolPart } from '../contract/tools.ts'

/** Empty when there is nothing to tell: an answer without a word would be an empty message. */
export function toldOf(message: ChatMessage): string {
  const text = textOf(message)
  if (message.role === 'user') return text
  const said = text.trim() === '' ? toldOfResearch(message) : text
  return [said, ...madeFilesOf(message).map(toldOfMadeFile)].filter((words) => words.trim() !== '').join('\n\n')
}

/** The files that a model made, wherever they are stored. */
export const madeFilesOf = ({ role, parts }: ChatMessage): readonly FilePart[] =>
  role === 'user' ? [] : parts.filter((part): part is FilePart => part.type === 'file')

/** What an answer that goes on has shown so far, each thing in its place: it ends with the words that may have to be continued. */
export const toldSoFar = (parts: readonly MessagePart[]): string =>
  parts
    .flatMap((part) => {
      if (part.type === 'text' && 'text' in part) return part.text === '' ? [] : [part.text]
      return part.type === 'file' && 'url' in part ? [toldOfMadeFile(part)] : []
    })
    .join('\n\n')

const toldOfMadeFile = ({ mediaType }: FilePart): string =>
  `[${mediaType.startsWith('image/') ? 'A picture' : 'A file'} was made here and shown to the person.]`

/** Of one that has no report (yet): its plan, and what was found out before it ended. */
function toldOfResearch({ id, parts }: ChatMessage): string {
  const plan = planOf(parts)
  if (plan === null) return ''
  if (!isWaitingPlan(parts)) return `[This research was begun and did not get to its report.]\n${findingsText(plan, parts)}`
  return `[This plan of a research was proposed here. ${fateOf(plan, id)}]\n${planText(plan)}`
}

/** What came of a plan that was started is another version of its answer, which may have been deleted, and is no part of this conversation. */
function fateOf({ startedAs, isDismissed }: Plan, planId: string): string {
  if (startedAs === planId) return 'It was started, and ended before anything was found out.'
  if (startedAs === undefined) return isDismissed ? 'The person set it aside.' : 'The person has not started it.'
  const started = 'It was started. What came of it is another version of this answer and does not stand in this conversation.'
  return isDismissed ? `${started} The person has set it aside since.` : started
}

const findingsText = ({ steps }: Plan, parts: readonly MessagePart[]): string =>
  steps
    .map(({ id, text }, index) => {
      const call = parts.filter(isToolPart).find(({ toolCallId }) => toolCallId === findingsCallId(id))
      return `${index + 1}. ${text}\n${(call && findingsOf(call)) ?? '(No notes.)'}`
    })
    .join('\n')
