/**
 * The texts that the user typed in this page, by draft. A text that was pasted, inserted, restored or typed on another device is excluded: it may be
 * from others, so the memory must not read it (rule B4 in `worker/turns/SPEC.md`).
 */
const typed = new Map<string, string>()

/** The `inputType` of keys, including those of input methods and corrections. Undo may bring a pasted text back. */
const typing = /^(?:insert(?:Text|CompositionText|LineBreak|ReplacementText)|delete)/
/** Chosen: longer than any word. The clipboard key of a touch keyboard inserts its text like a word. */
const maxWordChars = 50

export function noteInput(key: string, before: string, after: string, inputType: string | undefined): void {
  const isContinued = before === '' || typed.get(key) === before
  if (isContinued && typing.test(inputType ?? '') && after.length - before.length <= maxWordChars) typed.set(key, after)
}

export const isTypedText = (key: string, text: string): boolean => text !== '' && typed.get(key) === text
