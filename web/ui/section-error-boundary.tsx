/** Limits an error to one section of the page, which then shows a notice with Retry. */
import { CatchBoundary } from '@tanstack/react-router'
import { type ComponentType, createContext, type ReactNode, use, useState } from 'react'
import { handleCaughtError } from '../lib/caught-errors.ts'
import { cx } from '../lib/cx.ts'
import { lazyPart } from '../lib/lazy-part.ts'
import { OutdatedPageError } from '../lib/load-chunk.ts'
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
  /** Class of the notice. */
  readonly className?: string
  /** For parts that overlay the page: the notice also does, and has a Close button. */
  readonly isOverlay?: boolean
  /** Called by Close. Without it, Close hides the notice. */
  readonly onClose?: () => void
  readonly children: ReactNode
}

type Part = Omit<SectionErrorBoundaryProps, 'resetKey' | 'children'>

/** `PartError` gets these by context, because the router's boundary passes only the error and `reset`. */
export const PartContext = createContext<Part>({ part: 'page' })

export function SectionErrorBoundary({ resetKey = '', children, ...part }: SectionErrorBoundaryProps) {
  return (
    <PartContext value={part}>
      <CatchBoundary getResetKey={() => resetKey} onCatch={handleCaughtError} errorComponent={PartError}>
        {children}
      </CatchBoundary>
    </PartContext>
  )
}

/** A lazy part with a separate boundary, which also catches a failure to load the file. */
export function boundedPart<Props extends object>(part: PartName, load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  const Content = lazyPart(load)
  return (props) => (
    <SectionErrorBoundary part={part} className="m-2">
      <Content {...props} />
    </SectionErrorBoundary>
  )
}

export function PartError({ error, reset }: { readonly error: unknown; readonly reset: () => void }) {
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
