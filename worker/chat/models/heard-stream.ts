/**
 * A model that can be listened to, for the SDK, which wants a stream: what is read and checked for the one is for the other. Part by part, as it
 * is asked for, so that an error takes none of the words before it along.
 */
import type { CallOptions, Listen, VendorModel, VendorPart } from './vendor-model.ts'

export const streamHeard =
  (listen: Listen): VendorModel['doStream'] =>
  (options) => {
    const answered = Promise.withResolvers<Awaited<ReturnType<VendorModel['doStream']>>>()
    const left = new AbortController()
    let asked = Promise.withResolvers<boolean>()
    const stream = new ReadableStream<VendorPart>(
      {
        start(controller) {
          const heard = (part: VendorPart): Promise<boolean> => {
            asked = Promise.withResolvers()
            controller.enqueue(part)
            return asked.promise
          }
          const began = () => answered.resolve({ stream })
          listen(signalled(options, left.signal), began, heard).then(
            () => left.signal.aborted || controller.close(),
            (error: unknown) => {
              answered.reject(error)
              controller.error(error)
            },
          )
        },
        pull: () => asked.resolve(true),
        cancel(reason) {
          asked.resolve(false)
          left.abort(reason)
        },
      },
      { highWaterMark: 0 },
    )
    return answered.promise
  }

const signalled = (options: CallOptions, left: AbortSignal): CallOptions => ({
  ...options,
  abortSignal: options.abortSignal ? AbortSignal.any([options.abortSignal, left]) : left,
})
