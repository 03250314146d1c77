/** A source of tools for development: a tool that changes something, so its calls need the approval of the user. It saves nothing. */
import { z } from 'zod'
import type { ToolSource } from '../chat/tools/registry.ts'

const noteInput = z.object({
  title: z.string().min(1).describe('The title of the note.'),
  text: z.string().describe('The text of the note.'),
  /** For a call that can be stopped. */
  delayMs: z.number().int().min(0).max(60_000).optional(),
})

export const notesTool = 'save_note'

export const notes: ToolSource = {
  id: 'demo-notes',
  name: 'Demo notes',
  tools: [
    {
      name: notesTool,
      title: 'Save a note',
      description: 'Saves a note with a title and a text. This demo saves nothing.',
      inputSchema: noteInput,
      isReadOnly: false,
      digest: '1',
      execute: async (input, { signal }) => {
        const { title, delayMs = 0 } = noteInput.parse(input)
        await new Promise<void>((resolve, reject) => {
          const timer = setTimeout(resolve, delayMs)
          signal.addEventListener('abort', () => {
            clearTimeout(timer)
            reject(signal.reason)
          })
        })
        return { shown: { saved: title }, forModel: { from: 'the tool “Save a note”', text: `Saved: ${title}` } }
      },
    },
  ],
}
