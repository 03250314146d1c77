/** The content of the menu of a message: on touch devices all actions that its toolbar does not show. Loads after the first paint. */
import { Bookmark, ChevronLeft, ChevronRight, Coins, Copy, FileText, GitFork, Pencil, Quote, Replace, Trash2 } from 'lucide-react'
import { type RefObject, useId } from 'react'
import { copyText } from '../../../lib/clipboard.ts'
import { publicUrls } from '../../../lib/public-urls.ts'
import { libText } from '../../../lib/texts/en.ts'
import { MenuItem, MenuSeparator } from '../../../ui/menu.tsx'
import { PopoverPanel } from '../../../ui/popover.tsx'
import { PickerPanel, pickerClass } from '../models/lazy-picker.ts'
import { copiedText } from './copy-messages.ts'
import { type OtherModelMenuProps, useOtherModel } from './message-actions.tsx'
import type { ShownMessage } from './shown-messages.ts'
import { t } from './texts/en.ts'
import { isWholeThread, type MessageActions } from './use-message-actions.ts'
import { neighboursOf, requestVersion } from './version-switch.tsx'

type MessageMenuItemsProps = {
  readonly shown: Exclude<ShownMessage, { kind: 'live' }>
  readonly actions: MessageActions
  readonly busyReason: string | undefined
  readonly isTouch: boolean
  /** Shows the result of a copy. */
  readonly onCopy: (copying: Promise<boolean>) => Promise<void>
  /** Absent for messages without details. */
  readonly onDetails: (() => void) | undefined
  /** Absent where the toolbar selects another model, or the message is no answer. */
  readonly onOtherModel: (() => void) | undefined
}

export function MessageMenuItems({ shown, actions, busyReason, isTouch, onCopy, onDetails, onOtherModel }: MessageMenuItemsProps) {
  const { fork } = actions
  return (
    <>
      {isTouch && <TouchItems shown={shown} actions={actions} busyReason={busyReason} onCopy={onCopy} />}
      {onOtherModel && (
        <MenuItem icon={<Replace />} disabledReason={busyReason} onSelect={onOtherModel}>
          {t('regenerateOtherModel')}
        </MenuItem>
      )}
      <MenuItem icon={<Quote />} onSelect={() => actions.quote(shown)}>
        {libText('quote')}
      </MenuItem>
      {fork && (
        <MenuItem icon={<GitFork />} onSelect={() => fork(shown)}>
          {t('fork')}
        </MenuItem>
      )}
      <MenuItem icon={<FileText />} onSelect={() => void onCopy(actions.copyThread(shown))}>
        {t('copyThreadHere')}
      </MenuItem>
      {onDetails && (
        <MenuItem icon={<Coins />} onSelect={onDetails}>
          {t('details')}
        </MenuItem>
      )}
      <MenuItem icon={<Trash2 />} danger disabledReason={busyReason} onSelect={() => actions.remove(shown)}>
        {isWholeThread(shown) ? t('deleteThread') : shown.hasMoreBelow ? t('deleteFromHere') : libText('delete')}
      </MenuItem>
    </>
  )
}

/** Versions, and the actions that a toolbar has elsewhere. */
function TouchItems({ shown, actions, busyReason, onCopy }: Pick<MessageMenuItemsProps, 'shown' | 'actions' | 'busyReason' | 'onCopy'>) {
  const { bookmark } = actions
  return (
    <>
      {shown.versions.ids.length > 1 && (
        <>
          {neighboursOf(shown.versions, busyReason).map(({ direction, label, id, disabledReason }) => (
            <MenuItem
              key={direction}
              icon={direction === 'previous' ? <ChevronLeft /> : <ChevronRight />}
              disabledReason={disabledReason}
              // For `onOpening`.
              render={<div data-direction={direction} />}
              onSelect={() => requestVersion(id, direction, actions.show)}
            >
              {label}
            </MenuItem>
          ))}
          <MenuSeparator />
        </>
      )}
      {shown.kind === 'user' && (
        <>
          <MenuItem icon={<Copy />} onSelect={() => void onCopy(copyText(copiedText(shown.message, publicUrls().apiUrl)))}>
            {t('copy')}
          </MenuItem>
          <MenuItem icon={<Pencil />} disabledReason={busyReason} onSelect={() => actions.edit(shown)}>
            {t('edit')}
          </MenuItem>
        </>
      )}
      {bookmark && (
        <MenuItem icon={<Bookmark fill={shown.isBookmarked ? 'currentColor' : 'none'} />} onSelect={() => bookmark(shown)}>
          {t(shown.isBookmarked ? 'removeBookmark' : 'bookmark')}
        </MenuItem>
      )}
    </>
  )
}

type OtherModelPanelProps = Pick<OtherModelMenuProps, 'shown' | 'actions'> & {
  /** Gets the focus when the panel closes. */
  readonly triggerRef: RefObject<HTMLButtonElement | null>
  readonly onClose: () => void
}

/** The catalogue, opened from the menu. */
export function OtherModelPanel({ shown, actions, triggerRef, onClose }: OtherModelPanelProps) {
  const { onChoose, ...picker } = useOtherModel(shown, actions)
  return (
    <PopoverPanel
      id={useId()}
      label={t('regenerateOtherModel')}
      placement="top-start"
      className={pickerClass}
      triggerRef={triggerRef}
      startsAt={undefined}
      onClose={onClose}
    >
      <PickerPanel
        {...picker}
        onClose={onClose}
        onChoose={({ id }) => {
          onClose()
          onChoose(id)
        }}
      />
    </PopoverPanel>
  )
}
