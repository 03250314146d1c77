/** What a model is told: who it is for this person, and the conversation so far. */
import type { ModelMessage } from 'ai'
import { filesOf } from '../contract/files.ts'
import { type ChatMessage, type MessagePart, textOf } from '../contract/messages.ts'
import type { TurnMode } from '../contract/modes.ts'
import type { TurnOrder } from '../contract/turn.ts'
import type { AttachedFiles } from './attached-files.ts'
import { reportRules } from './research/prompts.ts'
import { toolRules } from './tools/untrusted.ts'

const productName = 'Parley'

type Section = { readonly name: string; readonly text: string | null | undefined }

const rules: { readonly [Mode in TurnMode]: string | null } = { chat: null, search: toolRules, research: reportRules }

/** Named sections, and only those that have something to say. */
export function instructionsFor({ model, person, mode }: Pick<TurnOrder, 'model' | 'person' | 'mode'>, nowMs: number): string {
  const sections: readonly Section[] = [
    {
      name: 'Role',
      text: `You are ${model.name}, answering in ${productName}, an app for conversations with AI models. Be helpful, accurate and to the point. Say so when you do not know something.`,
    },
    {
      name: 'Format',
      text: 'Write GitHub-flavoured Markdown. Name the language of every code block. Write mathematics as LaTeX between $$ or \\( and \\), diagrams as code blocks in mermaid. Answer in the language of the person unless asked otherwise.',
    },
    { name: 'Date', text: `Today is ${new Date(nowMs).toISOString().slice(0, 10)} (UTC).` },
    { name: 'Tools', text: rules[mode] },
    { name: 'Name of the person', text: person.nickname },
    { name: 'About the person, in their own words', text: person.biography },
    { name: 'What the person asks of every answer', text: person.instructions },
  ]
  return sections.flatMap(({ name, text }) => (text?.trim() ? [`# ${name}\n${text.trim()}`] : [])).join('\n\n')
}

/** The demo model knows by these words that it is asked to go on. */
export const continueRequest =
  'Your last answer was cut off. Continue it exactly where it stopped: begin with the very next word, repeat nothing, and add no introduction.'

/**
 * Only what was said aloud: vendors reject each other's reasoning, and an answer without a word would be an empty message.
 * An answer to be continued is followed by a request to do so, because few vendors accept a conversation that ends with the model.
 */
export function modelMessages(
  history: readonly ChatMessage[],
  continued: readonly MessagePart[] = [],
  files: Pick<AttachedFiles, 'partsOf'> = noFiles,
): ModelMessage[] {
  const said = history.flatMap((message): ModelMessage[] => {
    const text = textOf(message)
    const attached = message.role === 'user' ? filesOf(message).flatMap(files.partsOf) : []
    // What is asked comes after what it is asked about.
    if (attached.length > 0)
      return [{ role: 'user', content: [...attached, ...(text.trim() === '' ? [] : [{ type: 'text' as const, text }])] }]
    return text.trim() === '' ? [] : [message.role === 'user' ? { role: 'user', content: text } : { role: 'assistant', content: text }]
  })
  const begun = textOf({ parts: continued })
  if (begun.trim() === '') return said
  return [...said, { role: 'assistant', content: begun }, { role: 'user', content: continueRequest }]
}

const noFiles: Pick<AttachedFiles, 'partsOf'> = { partsOf: () => [] }
