/** Limits an error to one section of the page, which then shows a notice with Retry. */
import { CatchBoundary } from '@tanstack/react-router'
import { Component, type ComponentType, createContext, createRef, type ReactNode, use, useState } from 'react'
import { cx } from '../lib/cx.ts'
import { lazyPart } from '../lib/lazy-part.ts'
import { OutdatedPageError } from '../lib/load-chunk.ts'
import { reloadIfOutdated } from '../lib/reload-once.ts'
import { libText } from '../lib/texts/en.ts'
import { ErrorActions } from './error-actions.tsx'
import { type PartName, partName } from './part-names/texts/en.ts'
import { t } from './texts/en.ts'

type SectionErrorBoundaryProps = {
  /** The key of the part's name in the notice. */
  readonly part: PartName
  /** A further sentence of the notice. */
  readonly note?: string
  /** The part renders again when this changes. */
  readonly resetKey?: string
  /** For a part of an answer: true while it streams. The part then retries automatically. */
  readonly isGrowing?: boolean
  /** With `isGrowing`: true while this part receives text. */
  readonly isTextGrowing?: boolean
  /** Class of the notice. */
  readonly className?: string
  /** For parts that overlay the page: the notice also does, and has a Close button. */
  readonly isOverlay?: boolean
  /** Called by Close. Without it, Close hides the notice. */
  readonly onClose?: () => void
  readonly children: ReactNode
}

type Part = Omit<SectionErrorBoundaryProps, 'resetKey' | 'isGrowing' | 'isTextGrowing' | 'children'>

/** `PartError` gets these by context, because the router's boundary passes only the error and `reset`. */
const PartContext = createContext<Part>({ part: 'page' })

export function SectionErrorBoundary({ resetKey = '', isGrowing, isTextGrowing, children, ...part }: SectionErrorBoundaryProps) {
  return (
    <PartContext value={part}>
      {isGrowing === undefined ? (
        <CatchBoundary getResetKey={() => resetKey} onCatch={reloadIfOutdated} errorComponent={PartError}>
          {children}
        </CatchBoundary>
      ) : (
        <RetryingBoundary isGrowing={isGrowing} isTextGrowing={isTextGrowing} onCatch={reloadIfOutdated} notice={partNotice}>
          {children}
        </RetryingBoundary>
      )}
    </PartContext>
  )
}

const partNotice = (error: unknown, reset: () => void) => <PartError error={error} reset={reset} />

/** A lazy part with a separate boundary, which also catches a failure to load the file. */
export function boundedPart<Props extends object>(part: PartName, load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  const Content = lazyPart(load)
  return (props) => (
    <SectionErrorBoundary part={part} className="m-2">
      <Content {...props} />
    </SectionErrorBoundary>
  )
}

function PartError({ error, reset }: { readonly error: unknown; readonly reset: () => void }) {
  const { part, note = '', className, onClose, isOverlay: isMarkedOverlay } = use(PartContext)
  const isOverlay = isMarkedOverlay ?? onClose !== undefined
  const [isHidden, setHidden] = useState(false)
  if (isHidden) return null
  const Title = isOverlay ? 'h2' : 'p'
  return (
    <div
      role="alert"
      className={cx(
        'flex min-w-0 flex-col gap-2 rounded-lg bg-raised p-3 text-sm text-foreground',
        isOverlay ? 'fixed inset-x-4 bottom-4 z-40 mx-auto w-fit max-w-2xl shadow-float' : 'border',
        className,
      )}
    >
      <Title>{error instanceof OutdatedPageError ? libText('updated') : `${t('partFailed', { part: partName(part) })} ${note}`}</Title>
      <ErrorActions size="sm" error={error} onRetry={reset} onClose={isOverlay ? (onClose ?? (() => setHidden(true))) : undefined} />
    </div>
  )
}

/*
 * An error boundary that retries automatically, for a part that streams. A translator or an extension that moves nodes makes React throw, or
 * makes React write into a text that is no longer on the page. Until the retry, the page shows a copy of the part, which keeps the scroll
 * position and what the other program changed.
 */

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

type RetryingBoundaryProps = {
  /** True while the answer of the part streams. */
  readonly isGrowing: boolean
  /** True while the part itself receives text. */
  readonly isTextGrowing?: boolean | undefined
  readonly onCatch: (error: Error) => void
  readonly notice: (error: unknown, retry: () => void) => ReactNode
  readonly children: ReactNode
}

type Failed = { readonly error: unknown; readonly isNoticeShown: boolean }
type State = { readonly failed: Failed | null }

class RetryingBoundary extends Component<RetryingBoundaryProps, State> {
  override readonly state: State = { failed: null }
  readonly #part = createRef<HTMLDivElement>()
  readonly #copy = createRef<HTMLDivElement>()
  #retries: Retries = { lastAtMs: null, hasRetriedAfterEnd: !this.props.isGrowing }
  #timer: ReturnType<typeof setTimeout> | undefined

  static getDerivedStateFromError(error: unknown): State {
    return { failed: { error, isNoticeShown: false } }
  }

  /** The failed nodes, which React is about to remove. */
  override getSnapshotBeforeUpdate(_props: RetryingBoundaryProps, before: State): readonly Node[] {
    if (before.failed || !this.state.failed) return []
    return Array.from(this.#part.current?.childNodes ?? [], (node) => node.cloneNode(true))
  }

  override componentDidMount(): void {
    if (this.state.failed) this.#afterFailure(this.state.failed)
  }

  override componentDidUpdate(propsBefore: RetryingBoundaryProps, before: State, copies: readonly Node[]): void {
    const { failed } = this.state
    const hasEnded = propsBefore.isGrowing && !this.props.isGrowing
    if (failed === null) {
      if (propsBefore.isTextGrowing && this.#hasForeignNodes())
        this.setState(RetryingBoundary.getDerivedStateFromError(new Error('another program changed this part of the page')))
      return
    }
    this.#copy.current?.append(...copies)
    if (failed.error !== before.failed?.error || hasEnded) this.#afterFailure(failed)
  }

  override componentDidCatch(error: Error): void {
    this.props.onCatch(error)
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
          this.props.notice(failed.error, this.#retry)
        ) : (
          <div key="copy" ref={this.#copy} className="contents" />
        )}
      </div>
    )
  }
}
