/** The prompt library: the user's prompts with their sharing, and the prompts of other members. */
import { ChevronDown, PenLine, Plus, SquareSlash, Trash2, UsersRound } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { maxPromptChars, maxPromptNameChars } from '../../../../worker/contract/limits.ts'
import { mutators } from '../../../../worker/contract/mutators.ts'
import { cleanName } from '../../../../worker/contract/names.ts'
import { roleOf } from '../../../../worker/contract/organizations/organization.ts'
import { isBlank } from '../../../../worker/contract/text.ts'
import { createId } from '../../../lib/create-id.ts'
import { refusalSentence } from '../../../lib/refusals/sentence.ts'
import { libText } from '../../../lib/texts/en.ts'
import { type Action, settled, useAct } from '../../../sync/act.ts'
import { useConnection } from '../../../sync/hooks.ts'
import { type PromptOfOther, type Prompts, usePrompts } from '../../../sync/prompts.ts'
import type { PromptRow } from '../../../sync/rows.ts'
import { Button, buttonClass } from '../../../ui/button.tsx'
import { EmptyState } from '../../../ui/empty-state.tsx'
import { FormDialog } from '../../../ui/form-dialog.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import { Menu, MenuItem } from '../../../ui/menu.tsx'
import { Section } from '../../../ui/section.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import { toastRefusal } from '../../../ui/toast-refusal.ts'
import { toast } from '../../../ui/toaster.tsx'
import { t } from './texts/en.ts'

export function PromptsPage() {
  const prompts = usePrompts()
  const { own, shared, isComplete } = prompts
  /** Null: a new prompt. */
  const [edited, setEdited] = useState<PromptRow | null | undefined>()
  return (
    <>
      <div className="mb-4 flex flex-wrap items-center justify-between gap-3">
        <p className="text-muted-foreground text-pretty">{t('intro')}</p>
        <Button variant="primary" onClick={() => setEdited(null)}>
          <Plus aria-hidden="true" className="size-4" />
          {t('newPrompt')}
        </Button>
      </div>
      {own.length > 0 ? (
        <ul className="divide-y rounded-lg border">
          {own.map((prompt) => (
            <OwnPrompt key={prompt.id} prompt={prompt} prompts={prompts} onEdit={() => setEdited(prompt)} />
          ))}
        </ul>
      ) : (
        <EmptyState icon={SquareSlash} isLoading={!isComplete}>
          {t('noPrompts')}
        </EmptyState>
      )}
      {shared.length > 0 && (
        <div className="mt-8">
          <Section title={t('sharedByOthers')}>
            <ul className="divide-y rounded-lg border">
              {shared.map((one) => (
                <OthersPrompt key={one.prompt.id} {...one} />
              ))}
            </ul>
          </Section>
        </div>
      )}
      {edited !== undefined && <PromptDialog prompt={edited} onClose={() => setEdited(undefined)} />}
    </>
  )
}

const toastIfRefused = (action: Action): Promise<boolean> => toastRefusal(settled(action))

type OwnPromptProps = { readonly prompt: PromptRow; readonly prompts: Prompts; readonly onEdit: () => void }

function OwnPrompt({ prompt: { id, name, text }, prompts, onEdit }: OwnPromptProps) {
  const act = useAct()
  const remove = async () => {
    if (!(await toastIfRefused(act(mutators.prompts.delete({ id }))))) return
    const undo = { label: libText('undo'), onClick: () => void toastIfRefused(act(mutators.prompts.restore({ id }))) }
    toast('success', t('deleted'), { description: name, action: undo })
  }
  return (
    <PromptItem name={name} text={text}>
      {prompts.organizations.length > 0 && <SharingMenu id={id} name={name} prompts={prompts} />}
      <IconButton label={t('edit', { name })} onClick={onEdit}>
        <PenLine />
      </IconButton>
      <IconButton label={t('delete', { name })} onClick={() => void remove()}>
        <Trash2 />
      </IconButton>
    </PromptItem>
  )
}

type SharingMenuProps = { readonly id: string; readonly name: string; readonly prompts: Prompts }

function SharingMenu({ id, name, prompts: { organizations, sharedWith } }: SharingMenuProps) {
  const act = useAct()
  const chosen = organizations.find((organization) => organization.id === sharedWith.get(id))
  const share = (organizationId: string | null) => void toastIfRefused(act(mutators.prompts.share({ id, organizationId })))
  return (
    <Menu
      label={t('sharing', { name })}
      placement="bottom-end"
      trigger={(props) => (
        <button
          type="button"
          {...props}
          aria-label={t('sharing', { name })}
          aria-description={chosen?.name ?? t('onlyYou')}
          className={buttonClass({ variant: 'ghost', size: 'sm', className: 'min-w-0 text-muted-foreground' })}
        >
          {chosen && <UsersRound aria-hidden="true" className="size-3.5" />}
          <span className="max-w-32 truncate">{chosen?.name ?? t('onlyYou')}</span>
          <ChevronDown aria-hidden="true" className="size-3.5" />
        </button>
      )}
    >
      <MenuItem checked={!chosen} onSelect={() => share(null)}>
        {t('onlyYou')}
      </MenuItem>
      {organizations.map((organization) => (
        <MenuItem key={organization.id} checked={organization === chosen} onSelect={() => share(organization.id)}>
          {organization.name}
        </MenuItem>
      ))}
    </Menu>
  )
}

/** Administrators may end the sharing. */
function OthersPrompt({ prompt: { id, name, text }, organization, role }: PromptOfOther) {
  const act = useAct()
  const remove = async () => {
    if (await toastIfRefused(act(mutators.prompts.share({ id, organizationId: null }))))
      toast('success', t('removed', { organization }), { description: name })
  }
  return (
    <PromptItem name={name} text={text}>
      <span className="max-w-32 truncate text-xs text-muted-foreground">{organization}</span>
      {roleOf(role) !== 'member' && (
        <IconButton label={`${name}: ${t('stopSharing', { organization })}`} onClick={() => void remove()}>
          <Trash2 />
        </IconButton>
      )}
    </PromptItem>
  )
}

type PromptItemProps = { readonly name: string; readonly text: string; readonly children: ReactNode }

const PromptItem = ({ name, text, children }: PromptItemProps) => (
  <li className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3 py-2.5">
    <div className="min-w-0 flex-1 basis-56">
      <div dir="auto" className="truncate font-medium">
        {name}
      </div>
      <p dir="auto" className="line-clamp-2 text-muted-foreground wrap-anywhere">
        {text}
      </p>
    </div>
    <div className="ml-auto flex min-w-0 items-center gap-1">{children}</div>
  </li>
)

type PromptDialogProps = {
  readonly prompt: PromptRow | null
  /** The text that a new prompt starts with. */
  readonly text?: string
  readonly onClose: () => void
}

/** Creates a prompt or edits one. */
export function PromptDialog({ prompt, text: given = '', onClose }: PromptDialogProps) {
  const act = useAct()
  const isOffline = useConnection().status === 'offline'
  const [id] = useState(() => prompt?.id ?? createId())
  const [name, setName] = useState(prompt?.name ?? '')
  const [text, setText] = useState(prompt?.text ?? given)
  const cleaned = cleanName(name)
  const reason =
    cleaned === '' || cleaned.length > maxPromptNameChars
      ? refusalSentence({ code: 'prompt_name' })
      : isBlank(text) || text.length > maxPromptChars
        ? refusalSentence({ code: 'prompt_text' })
        : undefined
  return (
    <FormDialog
      title={prompt ? t('editPrompt') : t('newPrompt')}
      submit={prompt ? t('save') : t('create')}
      disabledReason={reason}
      onSubmit={() => toastRefusal(settled(act(mutators.prompts.save({ id, name: cleaned, text }))))}
      pendingText={isOffline ? t('waiting') : undefined}
      onClose={onClose}
    >
      <TextField label={t('name')} value={name} onValueChange={setName} maxChars={maxPromptNameChars} />
      <TextField
        label={t('text')}
        description={t('textDescription', { example: '{{topic}}' })}
        rows={6}
        value={text}
        onValueChange={setText}
        maxChars={maxPromptChars}
      />
    </FormDialog>
  )
}
