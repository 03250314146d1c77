/**
 * One stage of a stream: reads the values of a source, and joins those results that follow each other within an interval. A stage costs more
 * processor time than a function, so the steps of one place are functions of one stage. Without both, a word costs 4.2 to 8.8 times the
 * processor time of a relay (benchmark T2). An error becomes the last value, because the error of a stream discards what its reader has not read.
 */

/** Chosen: the timers of a busy isolate are late, and the values that wait for them become one. */
const maxDelayMs = 250

export type Stage<Given, Value> = {
  /** Makes any number of values from one of the source. True if the stream ends here, and the source is cancelled. */
  readonly read: (given: Given, emit: (value: Value) => void) => boolean
  /**
   * The source has ended, or has failed. After a failure, too, the stream ends normally: an error would discard what its reader has not read.
   */
  readonly end: (emit: (value: Value) => void, failure: { readonly error: unknown } | null) => void
  /** The shortest time between values, unless one is urgent. With 0, values of the same tick are joined. */
  readonly intervalMs: number
  /** Null for values that must stay apart. */
  readonly join: (first: Value, second: Value) => Value | null
  /** True if the value, with those before it, must be sent now. */
  readonly isUrgent: (value: Value) => boolean
  /** The longest wait for a value of the source. Only the wait of a reader counts. After `onSilence` the stream ends. */
  readonly silence?: { readonly limitMs: number; readonly onSilence: () => void }
}

export function coalesced<Given, Value>(source: ReadableStream<Given>, stage: Stage<Given, Value>): ReadableStream<Value> {
  const reader = source.getReader()
  let controller: ReadableStreamDefaultController<Value>
  let pending: Value | null = null
  let interval: ReturnType<typeof setTimeout> | null = null
  let sentAtMs = 0
  let isEnded = false
  let isPulled = false
  let onPull = () => {}
  /** When the open read of the source began. */
  let waitingSinceMs: number | null = null
  /** One for the stream, and not for each read: a timer costs more than a word. */
  let silence: ReturnType<typeof setTimeout> | null = null

  function flush(): void {
    if (interval !== null) clearTimeout(interval)
    interval = null
    if (pending === null) return
    isPulled = false
    controller.enqueue(pending)
    pending = null
    sentAtMs = Date.now()
  }
  function write(value: Value): void {
    const joined = pending === null ? null : stage.join(pending, value)
    if (joined === null) flush()
    pending = joined ?? value
    const sinceSentMs = Date.now() - sentAtMs
    if (stage.isUrgent(value) || (interval !== null && sinceSentMs >= maxDelayMs)) flush()
    else interval ??= setTimeout(flush, Math.max(0, stage.intervalMs - sinceSentMs))
  }
  function stop(): void {
    isEnded = true
    if (interval !== null) clearTimeout(interval)
    if (silence !== null) clearTimeout(silence)
  }
  function end(failure: { readonly error: unknown } | null): void {
    if (isEnded) return
    stage.end(write, failure)
    flush()
    stop()
    controller.close()
  }
  function endEarly(): void {
    end(null)
    reader.cancel().catch(() => undefined)
  }
  function checkSilence(limitMs: number, onSilence: () => void): void {
    silence = null
    // The next read starts the timer again.
    if (waitingSinceMs === null) return
    const remainingMs = waitingSinceMs + limitMs - Date.now()
    if (remainingMs > 0) silence = setTimeout(() => checkSilence(limitMs, onSilence), remainingMs)
    else {
      onSilence()
      endEarly()
    }
  }
  function beginWait(): void {
    if (!stage.silence) return
    const { limitMs, onSilence } = stage.silence
    waitingSinceMs = Date.now()
    silence ??= setTimeout(() => checkSilence(limitMs, onSilence), limitMs)
  }
  async function readAll(): Promise<void> {
    for (;;) {
      if (!isPulled)
        await new Promise<void>((resolve) => {
          onPull = resolve
        })
      beginWait()
      const { done, value } = await reader.read()
      waitingSinceMs = null
      if (isEnded) return
      if (done) return end(null)
      if (stage.read(value, write)) return endEarly()
    }
  }
  return new ReadableStream<Value>(
    {
      start(started) {
        controller = started
        readAll().catch((error: unknown) => {
          if (isEnded) return
          waitingSinceMs = null
          flush()
          reader.cancel(error).catch(() => undefined)
          // In the next tick, because the reader may react to the failure before it has parsed the values.
          setTimeout(() => end({ error }), 0)
        })
      },
      pull() {
        isPulled = true
        onPull()
      },
      cancel(reason) {
        stop()
        return reader.cancel(reason)
      },
    },
    { highWaterMark: 0 },
  )
}
