/**
 * Ids for tool calls that are unique: in their answer, because readers tell calls apart by them and some vendors count theirs anew with every
 * step; in their step, because what a tool returns is told by them and some vendors give two calls one. Where a vendor's id is free it is kept.
 */
export class ToolCallIds {
  readonly #taken = new Set<string>()
  /** By the vendor's id: ours for its newest call of that name. */
  readonly #newest = new Map<string, string>()
  /** Ours that have their input, so that the same vendor's id means another call from then on. */
  readonly #called = new Set<string>()

  /** A call is begun; its input is still being written. */
  begun(vendorId: string): string {
    const id = this.#free(vendorId)
    this.#taken.add(id)
    this.#newest.set(vendorId, id)
    return id
  }

  /** A call has its input; it need not have been begun. */
  called(vendorId: string): string {
    const newest = this.#newest.get(vendorId)
    const id = newest === undefined || this.#called.has(newest) ? this.begun(vendorId) : newest
    this.#called.add(id)
    return id
  }

  /** Whether its input is being written. */
  isOpen(vendorId: string): boolean {
    const newest = this.#newest.get(vendorId)
    return newest !== undefined && !this.#called.has(newest)
  }

  /** The call that a result belongs to. */
  answered(vendorId: string): string {
    return this.#newest.get(vendorId) ?? vendorId
  }

  /** An id that is in the answer already. */
  take(id: string): void {
    this.#taken.add(id)
  }

  #free(vendorId: string): string {
    let id = vendorId
    // In the letters that vendors take for an id.
    for (let count = 2; this.#taken.has(id); count++) id = `${vendorId}-${count}`
    return id
  }
}
