import { type Content, defaultChoices, type Editing, type MessageChoices } from './draft.ts'
import { draftOf, setDraft } from './drafts.ts'

/** The edited message has separate choices, in the mode of its answer and with the model of the thread. */
export function beginEditing(
  key: string,
  editing: Editing,
  { text, files, mode, origins }: Omit<Content, 'choices'> & Pick<MessageChoices, 'mode' | 'origins'>,
): void {
  const { beforeEditing, ...draft } = draftOf(key).get()
  const choices = { ...defaultChoices, picked: draft.choices.picked, mode, origins }
  setDraft(key, { text, files, choices, editing, beforeEditing: draft.editing ? beforeEditing : contentOf(draft) })
}

const contentOf = ({ text, files, choices }: Content): Content => ({ text, files, choices })
