/**
 * A model call in progress and the title that is found beside it. Knows nothing of storage: chunks go out through the writer,
 * and `finished` tells once how it went, unless somebody stopped it first.
 */
import type { ToolSet } from 'ai'
import type { TurnOrder } from '../contract/turn.ts'
import type { ChunkWriter } from './chunk-writer.ts'
import { effortOptions } from './models/effort-options.ts'
import type { ConnectedModel } from './models/language-model.ts'
import { instructionsFor, modelMessages } from './prompt.ts'
import { type Outcome, runModel } from './run.ts'
import type { Later } from './storage.ts'
import { askForTitle, firstQuestion } from './title.ts'

export type LiveRun = {
  readonly writer: ChunkWriter
  /** The call is aborted at once, and nothing it says after this is heard. */
  stop(): void
  /** A title better than the first words, if one is found within `waitMs`. */
  title(waitMs: number): Promise<string | null>
}

type Host = {
  readonly finished: (outcome: Outcome) => void
  readonly titleFailed: (error: unknown) => void
  readonly later: Later
  readonly nowMs: () => number
}

/** A second call costs milliseconds of CPU, which the first one needs until its question has left. */
const titleDelayMs = 50

export function startRun(order: TurnOrder, connected: ConnectedModel, tools: ToolSet | null, writer: ChunkWriter, host: Host): LiveRun {
  const { later, nowMs } = host
  const call = new AbortController()
  const titleCall = new AbortController()
  const { titleModel } = connected
  let foundTitle: Promise<string | null> | null = null
  const findTitle = (): Promise<string | null> => {
    if (!titleModel || !order.untitled) return Promise.resolve(null)
    foundTitle ??= askForTitle(titleModel, firstQuestion(order.history), titleCall.signal).catch((error: unknown) => {
      if (!titleCall.signal.aborted) host.titleFailed(error)
      return null
    })
    return foundTitle
  }
  const cancelTitle = later(titleDelayMs, () => void findTitle())
  void runModel(
    {
      model: connected.model,
      instructions: instructionsFor(order, nowMs()),
      messages: modelMessages(order.history, order.continued),
      providerOptions: effortOptions(connected.model.provider, order.model.model, order.effort),
      tools,
    },
    { writer, signal: call.signal, later, nowMs },
  ).then((outcome) => {
    if (!call.signal.aborted) host.finished(outcome)
  })
  return {
    writer,
    stop: () => call.abort(),
    title: async (waitMs) => {
      cancelTitle()
      if (waitMs === 0 && !foundTitle) return null
      let cancel = (): void => {}
      const tooLate = new Promise<null>((resolve) => {
        cancel = later(waitMs, () => resolve(null))
      })
      const found = await Promise.race([findTitle(), tooLate])
      cancel()
      titleCall.abort()
      return found
    },
  }
}
