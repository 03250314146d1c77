/** Commands of a user's object to the generations of the user's turns. */
import type { GenerationCalls } from '../contract/threads/turn.ts'
import { generationStub, type ObjectNamespace } from '../lib/generation-stub.ts'
import { logger } from '../lib/logger.ts'
import type { TurnCommand } from './turn-commands.ts'

export type GenerationBindings = { readonly GENERATION: ObjectNamespace<GenerationCalls> }

type GenerationsDeps = {
  readonly env: GenerationBindings
  readonly userId: string
  /** The sessions of the connected browsers. */
  readonly sessions: () => readonly string[]
  /** Keeps the object alive until the work is done. Nothing waits for it. */
  readonly inBackground: (work: Promise<unknown>) => void
}

export class GenerationClient {
  readonly #deps: GenerationsDeps
  /** Turns whose command has failed once. */
  readonly #failedOnce = new Set<string>()

  constructor(deps: GenerationsDeps) {
    this.#deps = deps
  }

  /** Not awaited under the lock, because a generation reports back through it. The alarm repeats a failed call. */
  send(commands: readonly TurnCommand[]): void {
    if (commands.length > 0) this.#deps.inBackground(Promise.all(commands.map((command) => this.#send(command))))
  }

  async #send(command: TurnCommand): Promise<void> {
    const { env, userId, sessions } = this.#deps
    const { generationId, objectId } = command
    const generation = generationStub(env.GENERATION, objectId)
    // A turn without an object is ended by the scheduled job.
    if (!generation) return logger.warn('turn_without_object', { generationId })
    try {
      if (command.type === 'start') await generation.start({ ...command.command, sessions: sessions() })
      else if (command.type === 'fail') await generation.recover(generationId, userId, command.reason)
      else await generation.stop(generationId, userId)
      this.#failedOnce.delete(generationId)
    } catch (error) {
      logger.error('turn_command_failed', error, { generationId, type: command.type })
      if (command.type !== 'start') return
      // A repeated failure may be permanent: the turn ends as interrupted, unless its generation received the command and is running.
      if (this.#failedOnce.has(generationId)) await generation.recover(generationId, userId).catch(() => undefined)
      else this.#failedOnce.add(generationId)
    }
  }
}
