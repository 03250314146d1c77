/** Who is asking. The context of every named query and mutator, on both sides. */
export type Viewer = {
  readonly userId: string
  /** The server's clock in epoch ms; absent in the browser, where a mutator's own `at` argument stands in. */
  readonly nowMs?: number
}
