// A KV namespace that records its calls, and delays or fails on request. Implements only what the first-page cache uses.

export type Put = { readonly key: string; readonly text: string; readonly ttlS: number | undefined; readonly atMs: number }

export class FakeKv {
  readonly values = new Map<string, string>()
  readonly puts: Put[] = []
  readonly deletes: string[] = []
  nowMs = 0
  /** Errors for the next calls, one each. */
  readonly faults: Error[] = []

  async get(key: string): Promise<string | null> {
    this.#fail()
    return this.values.get(key) ?? null
  }

  async put(key: string, text: string, options?: { expirationTtl?: number }): Promise<void> {
    this.puts.push({ key, text, ttlS: options?.expirationTtl, atMs: this.nowMs })
    this.#fail()
    this.values.set(key, text)
  }

  async delete(key: string): Promise<void> {
    this.deletes.push(key)
    this.values.delete(key)
  }

  /** The binding for the code under test. */
  get namespace(): KVNamespace {
    return this as unknown as KVNamespace
  }

  #fail(): void {
    const fault = this.faults.shift()
    if (fault) throw fault
  }
}
