/** Reads the files of an import in a worker. The answer to each `next` is one batch, or `done`. */
import { type ImportBatch, importBatches } from './import-batches.ts'

export type WorkerRequest =
  | {
      readonly type: 'start'
      readonly files: readonly File[]
      readonly userId: string
      readonly clockOffsetMs: number
    }
  | { readonly type: 'next' }
export type WorkerAnswer = { readonly type: 'batch'; readonly batch: ImportBatch } | { readonly type: 'done' } | { readonly type: 'failed' }

/** The types of the page declare `self` as a window. */
const scope = self as unknown as {
  onmessage: (event: MessageEvent<WorkerRequest>) => void
  readonly postMessage: (answer: WorkerAnswer) => void
}

let batches: AsyncGenerator<ImportBatch> | null = null

scope.onmessage = ({ data }) => {
  if (data.type === 'next') {
    void answer()
    return
  }
  const { files, userId, clockOffsetMs } = data
  batches = importBatches({ files, userId, nowMs: () => Date.now() + clockOffsetMs })
}

async function answer(): Promise<void> {
  try {
    const next = await batches?.next()
    scope.postMessage(next && !next.done ? { type: 'batch', batch: next.value } : { type: 'done' })
  } catch {
    scope.postMessage({ type: 'failed' })
  }
}
