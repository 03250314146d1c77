/** Shows the version of a message and switches to its neighbours, with the whole branch below. */
import { ChevronLeft, ChevronRight } from 'lucide-react'
import { useEffect, useEffectEvent, useRef } from 'react'
import { IconButton } from '../../../ui/icon-button.tsx'
import type { Versions } from './shown-messages.ts'
import { t } from './texts/en.ts'

type VersionSwitchProps = {
  readonly versions: Versions
  readonly busyReason: string | undefined
  readonly onShow: (messageId: string) => void
}

type Direction = 'previous' | 'next'

/** The last requested version. It is another message with another switch or menu, and the focus moves there, once. */
let awaited: { readonly messageId: string; readonly direction: Direction } | null = null

/** The versions beside the shown one, and why they cannot be shown. */
export function neighboursOf({ ids, at }: Versions, busyReason: string | undefined) {
  const [previous, next] = [ids[at - 1], ids[at + 1]]
  const reasonFor = (id: string | undefined, without: string) => busyReason ?? (id === undefined ? without : undefined)
  return [
    { direction: 'previous', label: t('previousVersion'), id: previous, disabledReason: reasonFor(previous, t('firstVersion')) },
    { direction: 'next', label: t('nextVersion'), id: next, disabledReason: reasonFor(next, t('newestVersion')) },
  ] as const
}

export function requestVersion(messageId: string | undefined, direction: Direction, onShow: (messageId: string) => void): void {
  if (messageId === undefined) return
  awaited = { messageId, direction }
  onShow(messageId)
}

/** Moves the focus to a button of the requested version. The button that requested it is gone. */
export function useVersionFocus(shownId: string | undefined, buttonFor: (direction: Direction) => HTMLElement | null | undefined): void {
  const focus = useEffectEvent((direction: Direction) => buttonFor(direction)?.focus({ preventScroll: true }))
  useEffect(() => {
    if (!awaited || awaited.messageId !== shownId) return
    const { direction } = awaited
    awaited = null
    if (document.activeElement === document.body) focus(direction)
  }, [shownId])
}

export function VersionSwitch({ versions, busyReason, onShow }: VersionSwitchProps) {
  const { ids, at } = versions
  const groupRef = useRef<HTMLSpanElement>(null)
  useVersionFocus(ids[at], (direction) => groupRef.current?.querySelector<HTMLElement>(`[data-direction="${direction}"]`))
  if (ids.length < 2) return null
  const [previous, next] = neighboursOf(versions, busyReason).map(({ direction, label, id, disabledReason }) => (
    <IconButton
      key={direction}
      size="sm"
      data-direction={direction}
      label={label}
      disabledReason={disabledReason}
      onClick={() => requestVersion(id, direction, onShow)}
    >
      {direction === 'previous' ? <ChevronLeft /> : <ChevronRight />}
    </IconButton>
  ))
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms
    <span ref={groupRef} role="group" aria-label={t('versions')} data-kept="" className="flex items-center">
      {previous}
      <span className="px-0.5 text-xs whitespace-nowrap text-muted-foreground tabular-nums">
        {t('versionOf', { at: at + 1, count: ids.length })}
      </span>
      {next}
    </span>
  )
}
