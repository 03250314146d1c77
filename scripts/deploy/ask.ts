// Asks for settings in the terminal, one line each. Secrets are not echoed.
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import type { Settings } from '../lib/settings.ts'
import type { Missing } from './production-settings.ts'

type Terminal = { readonly input: NodeJS.ReadableStream; readonly output: NodeJS.WritableStream }

/** An empty answer skips a setting. `save` receives each answer immediately, so an interruption loses only the current one. */
export async function ask(missing: readonly Missing[], save: (answer: Settings) => void, { input, output }: Terminal): Promise<void> {
  let isMuted = false
  const echo = new Writable({
    write(chunk: Buffer, _encoding, done) {
      if (!isMuted) output.write(chunk)
      done()
    },
  })
  const lines = createInterface({ input, output: echo, terminal: true })
  const ended = new Promise<null>((resolve) => lines.once('close', () => resolve(null)))
  output.write('\nSettings that the Worker needs. Enter leaves one for later.\n')
  try {
    for (const { name, line, isSecret } of missing) {
      output.write(isSecret ? `\n${line}\n${name}: ` : `\n${line}\n`)
      isMuted = isSecret
      const answer = await Promise.race([lines.question(isSecret ? '' : `${name}: `), ended])
      isMuted = false
      if (isSecret) output.write('\n')
      if (answer === null) throw new Error('interrupted; the answers so far are saved in .prod.vars')
      if (answer.trim() !== '') save({ [name]: answer.trim() })
    }
  } finally {
    lines.close()
  }
}
