/** A fact about the user with its message and its actions, and the dialog that edits it. */
import { Link } from '@tanstack/react-router'
import { Ban, PenLine, Pin, Trash2 } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { maxMemoryChars } from '../../../../worker/contract/limits.ts'
import { mutators } from '../../../../worker/contract/mutators.ts'
import { isBlank } from '../../../../worker/contract/text.ts'
import { cx } from '../../../lib/cx.ts'
import { formatList } from '../../../lib/i18n/format-dates.ts'
import { makersOf } from '../../../lib/maker-order.ts'
import { showMessageRequest } from '../../../lib/navigation.ts'
import { refusalSentence } from '../../../lib/refusals/sentence.ts'
import { libText } from '../../../lib/texts/en.ts'
import { settled, useAct } from '../../../sync/act.ts'
import { useConnection, useModels } from '../../../sync/hooks.ts'
import type { Memory } from '../../../sync/memories.ts'
import { Age } from '../../../ui/age.tsx'
import { FormDialog } from '../../../ui/form-dialog.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import { makerName } from '../../../ui/maker-icon.tsx'
import { Menu, MenuItem, MenuLabel } from '../../../ui/menu.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import { toastRefusal } from '../../../ui/toast-refusal.ts'
import { toast } from '../../../ui/toaster.tsx'
import { t } from './texts/en.ts'

type MemoryItemProps = {
  readonly memory: Memory
  readonly onEdit: () => void
  /** Called when the link to the message is followed. */
  readonly onLeave?: () => void
  /** Below the text. */
  readonly note?: ReactNode
}

export function MemoryItem({ memory, onEdit, onLeave, note }: MemoryItemProps) {
  const { id, text, threadId, messageId, isPinned, editedAt, barredMakers, createdAt, hasSource } = memory
  const act = useAct()
  const remove = async () => {
    if (!(await toastRefusal(settled(act(mutators.memories.delete({ id })))))) return
    const undo = { label: libText('undo'), onClick: () => void toastRefusal(settled(act(mutators.memories.restore({ id })))) }
    toast('success', t('deleted'), { description: text, action: undo })
  }
  const pin = () => void toastRefusal(settled(act(mutators.memories.save({ id, isPinned: !isPinned }))))
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3 py-2.5">
      <div className="min-w-0 flex-1 basis-56">
        <p dir="auto" className="wrap-anywhere">
          {text}
        </p>
        {note}
        <p className="mt-0.5 flex flex-wrap gap-x-2 text-xs text-muted-foreground">
          {hasSource && (
            <Link
              to="/$threadId"
              params={{ threadId }}
              // The thread opens at the message.
              onClick={() => {
                showMessageRequest.set({ threadId, messageId, words: [] })
                onLeave?.()
              }}
              className="touch-target underline underline-offset-2 hover:text-foreground"
            >
              {t('source')}
            </Link>
          )}
          {editedAt != null && <span>{t('edited')}</span>}
          <Age atMs={editedAt ?? createdAt} />
          {barredMakers && barredMakers.length > 0 && (
            <span className="wrap-anywhere">{t('notFor', { providers: formatList(barredMakers.map(makerName)) })}</span>
          )}
        </p>
      </div>
      <div className="ml-auto flex items-center gap-1">
        <IconButton label={t('pin', { text })} description={t('pinDescription')} aria-pressed={isPinned ?? false} onClick={pin}>
          <Pin className={cx(isPinned && 'fill-current')} />
        </IconButton>
        <Providers memory={memory} />
        <IconButton label={t('edit', { text })} onClick={onEdit}>
          <PenLine />
        </IconButton>
        <IconButton label={t('delete', { text })} onClick={() => void remove()}>
          <Trash2 />
        </IconButton>
      </div>
    </li>
  )
}

/** Bars the fact from makers of models. A checked maker may receive it. */
function Providers({ memory: { id, text, barredMakers } }: { readonly memory: Memory }) {
  const act = useAct()
  const { models } = useModels()
  const barred = barredMakers ?? []
  const save = (makers: readonly string[]) => void toastRefusal(settled(act(mutators.memories.save({ id, barredMakers: [...makers] }))))
  const toggle = (maker: string) => save(barred.includes(maker) ? barred.filter((other) => other !== maker) : [...barred, maker])
  return (
    <Menu
      label={t('providers', { text })}
      placement="bottom-end"
      trigger={(props) => (
        <IconButton {...props} label={t('providers', { text })} aria-pressed={barred.length > 0}>
          <Ban />
        </IconButton>
      )}
    >
      <MenuLabel>{t('mayReceive')}</MenuLabel>
      <MenuItem checked={barred.length === 0} onSelect={() => save([])}>
        {t('allProviders')}
      </MenuItem>
      {makersOf(models).map((maker) => (
        <MenuItem key={maker} checked={!barred.includes(maker)} onSelect={() => toggle(maker)}>
          {makerName(maker)}
        </MenuItem>
      ))}
    </Menu>
  )
}

export function EditMemory({ memory, onClose }: { readonly memory: Memory; readonly onClose: () => void }) {
  const act = useAct()
  const isOffline = useConnection().status === 'offline'
  const [text, setText] = useState(memory.text)
  return (
    <FormDialog
      title={t('editMemory')}
      submit={t('save')}
      disabledReason={isBlank(text) || text.trim().length > maxMemoryChars ? refusalSentence({ code: 'memory_text' }) : undefined}
      onSubmit={() => toastRefusal(settled(act(mutators.memories.save({ id: memory.id, text }))))}
      pendingText={isOffline ? t('waiting') : undefined}
      onClose={onClose}
    >
      <TextField
        label={t('text')}
        description={t('textDescription')}
        rows={3}
        value={text}
        onValueChange={setText}
        maxChars={maxMemoryChars}
      />
    </FormDialog>
  )
}
