/** The row below a message: always there on touch, on hover and focus otherwise. It takes its place even when it does not show. */
import { Copy, Pencil, RefreshCw } from 'lucide-react'
import type { ReactNode } from 'react'
import type { AnswerMetadata } from '../../../worker/contract/messages.ts'
import { Badge } from '../../ui/badge.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { MakerIcon } from '../../ui/maker-icon.tsx'
import { tooltip } from '../../ui/tooltip.tsx'

type RowProps = { readonly children: ReactNode; readonly isPinned?: boolean; readonly className?: string }

function Row({ children, isPinned = false, className = '' }: RowProps) {
  const hidden = 'opacity-0 group-hover/turn:opacity-100 group-focus-within/turn:opacity-100 touch:opacity-100'
  return (
    <div className={`flex h-8 items-center gap-0.5 transition-opacity touch:h-11 touch:gap-2 ${isPinned ? '' : hidden} ${className}`}>
      {children}
    </div>
  )
}

type UserActionsProps = { readonly onCopy: () => void; readonly onEdit: () => void; readonly busyReason: string | undefined }

export function UserActions({ onCopy, onEdit, busyReason }: UserActionsProps) {
  return (
    <Row className="mt-1 justify-end">
      <IconButton size="sm" label="Copy" onClick={onCopy}>
        <Copy />
      </IconButton>
      <IconButton size="sm" label="Edit" disabledReason={busyReason} onClick={onEdit}>
        <Pencil />
      </IconButton>
    </Row>
  )
}

type AnswerActionsProps = {
  readonly metadata: AnswerMetadata
  readonly onCopy: () => void
  readonly onRegenerate: () => void
  readonly busyReason: string | undefined
  /** The newest answer keeps its actions in view. */
  readonly isNewest: boolean
}

export function AnswerActions({ metadata, onCopy, onRegenerate, busyReason, isNewest }: AnswerActionsProps) {
  return (
    <Row isPinned={isNewest} className="mt-1.5 -ml-1.5">
      <IconButton size="sm" label="Copy" onClick={onCopy}>
        <Copy />
      </IconButton>
      <IconButton size="sm" label="Regenerate" disabledReason={busyReason} onClick={onRegenerate}>
        <RefreshCw />
      </IconButton>
      <span className="ml-1.5 flex min-w-0 items-center gap-1.5 text-xs text-muted-foreground">
        <MakerIcon maker={metadata.modelIcon} className="size-3.5" />
        <span className="truncate">{metadata.modelName}</span>
        <span aria-hidden="true">·</span>
        <span className="whitespace-nowrap">{creditsText(metadata.credits)}</span>
        {metadata.demo && <DemoBadge />}
      </span>
    </Row>
  )
}

const demoHint = 'Written by the built-in demo model, because no model vendor is connected here.'

const DemoBadge = () => (
  <span {...tooltip(demoHint)}>
    <Badge>Demo</Badge>
  </span>
)

export const creditsText = (credits: number): string => `${credits} ${credits === 1 ? 'credit' : 'credits'}`
