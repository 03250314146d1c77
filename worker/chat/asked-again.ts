/**
 * What failed is tried again where that may help (failures.ts), and never behind anything that came of it: a second answer must not follow half
 * of a first. So as long as nothing of an answer was said, all of it is; behind that, such as what a tool has found and was paid for, the one
 * request to which its vendor has not begun to answer.
 */
import { retryDelayMs } from './failures.ts'
import { askedBy, type VendorModel } from './models/vendor-model.ts'
import type { Later } from './storage.ts'

type Patience = { readonly signal: AbortSignal; readonly later: Later }

/** Throws what the last attempt did; once `signal` is aborted, there is no other. */
export async function repeated<T>(attempt: () => PromiseLike<T>, mayRepeat: () => boolean, { signal, later }: Patience): Promise<T> {
  for (let made = 1; ; made++) {
    try {
      return await attempt()
    } catch (error) {
      const delayMs = mayRepeat() && !signal.aborted ? retryDelayMs(error, made) : null
      if (delayMs === null) throw error
      await new Promise<void>((resolve) => later(delayMs, resolve))
      if (signal.aborted) throw error
    }
  }
}

/** The same model, each of whose requests is made again while `mayRepeat`, until its vendor begins to answer. */
export const askedAgain = (model: VendorModel, mayRepeat: () => boolean, patience: Patience): VendorModel =>
  askedBy(model, {
    stream: (options) => repeated(() => model.doStream(options), mayRepeat, patience),
    listen: (listen) => (options, began, heard) => {
      let isAnswered = false
      const answered = () => {
        isAnswered = true
        began()
      }
      return repeated(
        () => listen(options, answered, heard),
        () => !isAnswered && mayRepeat(),
        patience,
      )
    },
  })
