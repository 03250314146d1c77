/** The authenticated user. Context of every named query and mutator on both sides. */
export type Viewer = {
  readonly userId: string
  /** Server clock in epoch ms. Absent in the browser, which uses the mutator's `at` argument. */
  readonly nowMs?: number
}
