/**
 * Pictures at full size, one at a time. Arrow keys page, plus and minus zoom, Escape and Back close, and the focus returns. An image has one
 * larger size, its own; a drawing doubles its size three times.
 */
import { ChevronLeft, ChevronRight, Download, X, ZoomIn, ZoomOut } from 'lucide-react'
import { type KeyboardEvent, type MouseEvent, type RefObject, useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from 'react'
import { cx } from '../lib/cx.ts'
import { libText } from '../lib/texts/en.ts'
import { IconButton } from './icon-button.tsx'
import { Modal } from './overlay-panels.tsx'
import type { Image } from './picture.tsx'
import { t } from './texts/en.ts'
import { tooltip } from './tooltip.tsx'

type LightboxProps = { readonly images: readonly Image[]; readonly at: number; readonly onClose: () => void }

const onDark = 'text-white/80 hover:not-aria-disabled:bg-white/15 hover:not-aria-disabled:text-white'

export function Lightbox({ images, at: first, onClose }: LightboxProps) {
  const [at, setAt] = useState(first)
  const image = images[at] ?? images[0]
  const scrollerRef = useRef<HTMLDivElement>(null)
  const { level, widthPx, zoomTo } = useZoom(scrollerRef)
  useCloseOnBack(onClose)
  if (!image) return null
  const isLarge = level > 0
  const buttonClass = image.isDrawing ? undefined : onDark
  const maxLevel = image.isDrawing ? 3 : 1
  const show = (next: number) => {
    setAt((next + images.length) % images.length)
    zoomTo(0)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'ArrowLeft' && !isLarge) show(at - 1)
    else if (event.key === 'ArrowRight' && !isLarge) show(at + 1)
    else if (event.key === '+' || event.key === '=') zoomTo(Math.min(level + 1, maxLevel))
    else if (event.key === '-') zoomTo(Math.max(level - 1, 0))
    else if (event.key === '0') zoomTo(0)
    else return
    event.preventDefault()
  }
  const onClick = (event: MouseEvent) => {
    if (event.target === event.currentTarget) onClose()
    else zoomTo(level < maxLevel ? level + 1 : 0, event)
  }
  const download = t(image.isDrawing ? 'downloadSvg' : 'download')
  return (
    <Modal
      aria-label={image.name}
      hasBackdrop={false}
      onClose={onClose}
      onKeyDown={onKeyDown}
      // A drawing has the ground of the page's panels.
      className={cx('flex animate-appear flex-col overflow-hidden', image.isDrawing ? 'bg-surface text-foreground' : 'bg-black text-white')}
    >
      <header className="flex h-14 shrink-0 items-center gap-1 px-3 pt-[env(safe-area-inset-top)]">
        <p className="min-w-0 flex-1 truncate px-1 text-sm" dir="auto">
          {image.name}
        </p>
        {images.length > 1 && (
          <p role="status" className="px-2 text-sm whitespace-nowrap text-white/70 tabular-nums">
            {t('atOf', { at: at + 1, count: images.length })}
          </p>
        )}
        {image.isDrawing ? (
          <>
            <IconButton
              label={t('zoomOut')}
              disabledReason={isLarge ? undefined : t('smallestSize')}
              className={buttonClass}
              onClick={() => zoomTo(level - 1)}
            >
              <ZoomOut />
            </IconButton>
            <IconButton
              label={t('zoomIn')}
              disabledReason={level < maxLevel ? undefined : t('largestSize')}
              className={buttonClass}
              onClick={() => zoomTo(level + 1)}
            >
              <ZoomIn />
            </IconButton>
          </>
        ) : (
          <IconButton label={t(isLarge ? 'fitToWindow' : 'fullSize')} className={buttonClass} onClick={() => zoomTo(isLarge ? 0 : 1)}>
            {isLarge ? <ZoomOut /> : <ZoomIn />}
          </IconButton>
        )}
        <a
          href={image.url}
          download={image.isDrawing ? `${image.name.replace(/[\\/:*?"<>|\s]+/g, ' ')}.svg` : image.name}
          aria-label={download}
          {...tooltip(download)}
          className={cx(
            'inline-flex size-9 touch-target items-center justify-center rounded-lg [&_svg]:size-4',
            buttonClass ?? 'text-muted-foreground hover:bg-foreground/8 hover:text-foreground',
          )}
        >
          <Download aria-hidden="true" />
        </a>
        <IconButton label={libText('close')} data-dialog-dismiss className={buttonClass} onClick={onClose}>
          <X />
        </IconButton>
      </header>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: beside the buttons, for pointers */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes, plus and minus zoom */}
      <div
        ref={scrollerRef}
        className={cx('flex min-h-0 flex-1', isLarge ? 'overflow-auto' : 'items-center justify-center p-3 pt-0')}
        onClick={onClick}
      >
        <img
          key={image.url}
          src={image.url}
          alt={t('largeImage', { name: image.name })}
          draggable={false}
          style={image.isDrawing && isLarge ? { width: widthPx } : undefined}
          className={cx(
            level < maxLevel ? 'cursor-zoom-in' : 'cursor-zoom-out',
            isLarge ? 'm-auto max-w-none' : 'max-h-full max-w-full object-contain',
            // A drawing fills the window.
            image.isDrawing && (isLarge ? 'h-auto shrink-0' : 'size-full'),
          )}
        />
      </div>
      {images.length > 1 && (
        <>
          <IconButton
            label={t('previousImage')}
            size="lg"
            className={cx('absolute top-1/2 left-3 bg-black/40', onDark)}
            onClick={() => show(at - 1)}
          >
            <ChevronLeft />
          </IconButton>
          <IconButton
            label={t('nextImage')}
            size="lg"
            className={cx('absolute top-1/2 right-3 bg-black/40', onDark)}
            onClick={() => show(at + 1)}
          >
            <ChevronRight />
          </IconButton>
        </>
      )}
    </Modal>
  )
}

type Point = { readonly clientX: number; readonly clientY: number }

/** How large the picture is shown; 0 fits the window. The point that is pressed stays in view, otherwise the middle. */
function useZoom(scrollerRef: RefObject<HTMLDivElement | null>) {
  const [{ level, widthPx }, setZoom] = useState({ level: 0, widthPx: 0 })
  const fitPx = useRef(0)
  const aim = useRef({ x: 0.5, y: 0.5 })
  useLayoutEffect(() => {
    const scroller = scrollerRef.current
    if (!scroller || level === 0) return
    const { scrollWidth, scrollHeight, clientWidth, clientHeight } = scroller
    scroller.scrollTo(scrollWidth * aim.current.x - clientWidth / 2, scrollHeight * aim.current.y - clientHeight / 2)
  }, [scrollerRef, level])
  const zoomTo = (next: number, point?: Point) => {
    const scroller = scrollerRef.current
    const picture = scroller?.querySelector('img')
    if (!scroller || !picture) return
    if (level === 0) fitPx.current = fittedWidth(picture)
    const box = level === 0 ? picture.getBoundingClientRect() : null
    const { scrollLeft, scrollTop, scrollWidth, scrollHeight, clientWidth, clientHeight } = scroller
    const frame = scroller.getBoundingClientRect()
    if (point && box) aim.current = { x: (point.clientX - box.left) / box.width, y: (point.clientY - box.top) / box.height }
    else if (box) aim.current = { x: 0.5, y: 0.5 }
    else {
      const [x, y] = point ? [point.clientX - frame.left, point.clientY - frame.top] : [clientWidth / 2, clientHeight / 2]
      aim.current = { x: (scrollLeft + x) / scrollWidth, y: (scrollTop + y) / scrollHeight }
    }
    setZoom({ level: next, widthPx: fitPx.current * 2 ** next })
  }
  return { level, widthPx, zoomTo }
}

/** The width of a contained picture without the empty sides of its box. */
const fittedWidth = ({ clientWidth, clientHeight, naturalWidth, naturalHeight }: HTMLImageElement): number =>
  Math.min(clientWidth, (clientHeight * naturalWidth) / Math.max(1, naturalHeight))

/*
 * Adds a history entry while an overlay is open, so that Back on a phone closes the overlay and not the page. The entry keeps the address
 * and the router's state, so the router sees no navigation. When the overlay closes in another way, the entry is removed unless the user
 * has navigated meanwhile. After a reload the entry is a duplicate of the one before.
 */

/** The required part of the browser API. */
type StepWindow = {
  readonly history: Pick<History, 'state' | 'pushState' | 'back'>
  readonly addEventListener: (type: 'popstate', run: () => void) => void
  readonly removeEventListener: (type: 'popstate', run: () => void) => void
}

const mark = 'parleyStep'

/** An entry about to be removed; an overlay that opens in the same task reuses it. */
type PendingBack = { readonly id: number; readonly timer: ReturnType<typeof setTimeout> }

export function backEntries(page: StepWindow): (onBack: () => void) => () => void {
  let lastId = Date.now()
  let pendingBack: PendingBack | null = null
  const isOn = (id: number): boolean => page.history.state?.[mark] === id

  return (onBack) => {
    let id: number
    if (pendingBack && isOn(pendingBack.id)) {
      clearTimeout(pendingBack.timer)
      id = pendingBack.id
      pendingBack = null
    } else {
      lastId += 1
      id = lastId
      page.history.pushState({ ...page.history.state, [mark]: id }, '')
    }
    const onPop = () => {
      if (!isOn(id)) onBack()
    }
    page.addEventListener('popstate', onPop)
    return () => {
      page.removeEventListener('popstate', onPop)
      const timer = setTimeout(() => {
        pendingBack = null
        if (isOn(id)) page.history.back()
      })
      pendingBack = { id, timer }
    }
  }
}

let openStep: ReturnType<typeof backEntries> | undefined

function openPageStep(onBack: () => void) {
  openStep ??= backEntries(window)
  return openStep(onBack)
}

/** Active while the caller is mounted. */
function useCloseOnBack(onBack: () => void): void {
  const goBack = useEffectEvent(onBack)
  useEffect(() => openPageStep(() => goBack()), [])
}
