// An R2 bucket in memory. Implements what backups use, with R2's rule for the sizes of parts.
type Part = { readonly partNumber: number; readonly etag: string }

const minPartBytes = 5 * 1024 * 1024

export class MemoryBucket {
  readonly objects = new Map<string, Uint8Array>()
  /** Uploads that were neither completed nor aborted. */
  openUploads = 0

  async head(key: string): Promise<object | null> {
    return this.objects.has(key) ? {} : null
  }

  async list({ prefix = '', cursor = '' }: { prefix?: string; cursor?: string }) {
    // Small pages, so that callers must follow the cursor.
    const keys = [...this.objects.keys()].filter((key) => key.startsWith(prefix) && key > cursor).sort()
    const page = keys.slice(0, 3)
    const objects = page.map((key) => ({ key }))
    return keys.length > page.length ? { objects, truncated: true, cursor: page.at(-1) } : { objects, truncated: false }
  }

  async delete(keys: string | readonly string[]): Promise<void> {
    for (const key of [keys].flat()) this.objects.delete(key)
  }

  async createMultipartUpload(key: string) {
    const parts: Uint8Array[] = []
    this.openUploads += 1
    return {
      uploadPart: async (partNumber: number, bytes: Uint8Array): Promise<Part> => {
        parts[partNumber - 1] = bytes.slice()
        return { partNumber, etag: `${partNumber}` }
      },
      complete: async (uploaded: readonly Part[]) => {
        const used = uploaded.map(({ partNumber }) => parts[partNumber - 1] ?? new Uint8Array())
        if (used.slice(0, -1).some(({ byteLength }) => byteLength < minPartBytes || byteLength !== used[0]?.byteLength))
          throw new Error('completeMultipartUpload: all non-trailing parts must have the same length of at least 5 MiB')
        this.openUploads -= 1
        this.objects.set(key, Buffer.concat(used))
      },
      abort: async () => {
        this.openUploads -= 1
      },
    }
  }

  /** The binding for the code under test. */
  get bucket(): R2Bucket {
    return this as unknown as R2Bucket
  }
}
