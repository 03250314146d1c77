/**
 * An error boundary that retries automatically, for a part that streams. A translator or an extension that moves nodes makes React throw, or
 * makes React write into a text that is no longer on the page. Until the retry, the page shows a copy of the part, which keeps the scroll
 * position and what the other program changed.
 */
import { Component, createRef, type ReactNode } from 'react'
import { handleCaughtError } from '../lib/caught-errors.ts'
import { OutdatedPageError } from '../lib/load-chunk.ts'
import type { PartName } from './part-names/texts/en.ts'
import { PartContext, PartError } from './section-error-boundary.tsx'

/** Chosen: a translator changes the new nodes again, so every retry can fail. */
export const retryIntervalMs = 1000

export type Retries = {
  /** Null before the first retry. */
  readonly lastAtMs: number | null
  /** True as well for a part that was complete when it was mounted. */
  readonly hasRetriedAfterEnd: boolean
}

/** How long a failed part waits until it renders again. Null: only the user can retry. */
export function retryDelayMs(isGrowing: boolean, { lastAtMs, hasRetriedAfterEnd }: Retries, nowMs: number): number | null {
  if (!isGrowing) return hasRetriedAfterEnd ? null : 0
  return lastAtMs === null ? 0 : Math.max(0, lastAtMs + retryIntervalMs - nowMs)
}

type RetryingErrorBoundaryProps = {
  /** The key of the part's name in the notice. */
  readonly part: PartName
  /** True while the answer of the part streams. */
  readonly isGrowing: boolean
  /** True while the part itself receives text. */
  readonly isTextGrowing?: boolean
  readonly children: ReactNode
}

type Failed = { readonly error: unknown; readonly isNoticeShown: boolean }
type State = { readonly failed: Failed | null }

export class RetryingErrorBoundary extends Component<RetryingErrorBoundaryProps, State> {
  override readonly state: State = { failed: null }
  readonly #part = createRef<HTMLDivElement>()
  readonly #copy = createRef<HTMLDivElement>()
  #retries: Retries = { lastAtMs: null, hasRetriedAfterEnd: !this.props.isGrowing }
  #timer: ReturnType<typeof setTimeout> | undefined

  static getDerivedStateFromError(error: unknown): State {
    return { failed: { error, isNoticeShown: false } }
  }

  /** The failed nodes, which React is about to remove. */
  override getSnapshotBeforeUpdate(_props: RetryingErrorBoundaryProps, before: State): readonly Node[] {
    if (before.failed || !this.state.failed) return []
    return Array.from(this.#part.current?.childNodes ?? [], (node) => node.cloneNode(true))
  }

  override componentDidMount(): void {
    if (this.state.failed) this.#afterFailure(this.state.failed)
  }

  override componentDidUpdate(propsBefore: RetryingErrorBoundaryProps, before: State, copies: readonly Node[]): void {
    const { failed } = this.state
    const hasEnded = propsBefore.isGrowing && !this.props.isGrowing
    if (failed === null) {
      if (propsBefore.isTextGrowing && this.#hasForeignNodes())
        this.setState(RetryingErrorBoundary.getDerivedStateFromError(new Error('another program changed this part of the page')))
      return
    }
    this.#copy.current?.append(...copies)
    if (failed.error !== before.failed?.error || hasEnded) this.#afterFailure(failed)
  }

  override componentDidCatch(error: Error): void {
    handleCaughtError(error)
  }

  override componentWillUnmount(): void {
    clearTimeout(this.#timer)
  }

  #afterFailure({ error, isNoticeShown }: Failed): void {
    const { isGrowing } = this.props
    const delayMs = error instanceof OutdatedPageError ? null : retryDelayMs(isGrowing, this.#retries, Date.now())
    clearTimeout(this.#timer)
    if (delayMs === 0) {
      this.#retry()
      return
    }
    if (delayMs !== null) this.#timer = setTimeout(this.#retry, delayMs)
    // Without a copy the page would show nothing.
    const isCopyShown = delayMs !== null && this.#copy.current?.textContent !== ''
    if (!isCopyShown && !isNoticeShown) this.setState({ failed: { error, isNoticeShown: true } })
  }

  readonly #retry = (): void => {
    clearTimeout(this.#timer)
    this.#retries = { lastAtMs: Date.now(), hasRetriedAfterEnd: !this.props.isGrowing }
    this.setState({ failed: null })
  }

  /**
   * Translators wrap texts in `font`, which this page never renders. React keeps writing into the replaced text node without an error, so new
   * text would not appear.
   */
  #hasForeignNodes(): boolean {
    return (this.#part.current?.getElementsByTagName('font').length ?? 0) > 0
  }

  override render(): ReactNode {
    const { failed } = this.state
    // `contents`: the boundary does not change the layout.
    return (
      <div ref={this.#part} className="contents">
        {failed === null ? (
          this.props.children
        ) : failed.isNoticeShown ? (
          <PartContext value={{ part: this.props.part }}>
            <PartError error={failed.error} reset={this.#retry} />
          </PartContext>
        ) : (
          <div key="copy" ref={this.#copy} className="contents" />
        )}
      </div>
    )
  }
}
