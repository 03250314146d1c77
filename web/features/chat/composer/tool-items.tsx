/** The items of the menu “Tools”, which are also in the menu of all options (`options-menu.tsx`), and the button of what is chosen for the next message. */
import { Link } from '@tanstack/react-router'
import { CircleSlash2, Globe, Lock, Settings2, Wrench, X } from 'lucide-react'
import { mutators } from '../../../../worker/contract/mutators.ts'
import { webSource } from '../../../../worker/contract/tools/taint.ts'
import { isSourceOn, switchSource } from '../../../../worker/contract/tools/tool-servers.ts'
import { pageSettings } from '../../../lib/page-settings.ts'
import { refusalSentence } from '../../../lib/refusals/sentence.ts'
import { useServerNow } from '../../../lib/server-clock.ts'
import { settled, useAct } from '../../../sync/act.ts'
import { MenuItem, MenuLabel, MenuSeparator } from '../../../ui/menu.tsx'
import { toastRefusal } from '../../../ui/toast-refusal.ts'
import { tooltip } from '../../../ui/tooltip.tsx'
import { choose } from './drafts.ts'
import { isLockedMode, modeProblem } from './mode-problem.ts'
import { allowanceOf, type ChosenMode, chosenModes, modeDescription, modeIcons, modeName } from './modes.ts'
import { t } from './texts/en.ts'
import { type ToolsProps, useToolSources } from './tool-sources.ts'

export function ToolItems({ draftKey, thread, offTools, mode, me, onChooseMode, onRefused }: ToolsProps) {
  const act = useAct()
  const sources = useToolSources()
  const nowMs = useServerNow()
  const unusable = me.model && !me.model.capabilities?.includes('tools') ? refusalSentence({ code: 'tools_unsupported' }) : undefined
  const toggle = (id: string) => {
    const next = switchSource(id, offTools)
    if (thread) void toastRefusal(settled(act(mutators.threads.setOffTools({ threadId: thread.id, offTools: [...next] }))))
    else choose(draftKey, { offTools: next })
  }
  return (
    <>
      <MenuLabel>{t('mayUse')}</MenuLabel>
      {sources.map(({ id, name, organization, isOfOrganization }) => (
        <MenuItem
          key={id}
          icon={id === webSource ? <Globe aria-hidden="true" /> : <Wrench aria-hidden="true" />}
          checked={isSourceOn({ id, isOfOrganization }, offTools) && unusable === undefined}
          isSwitch
          disabledReason={unusable}
          onSelect={() => toggle(id)}
        >
          {id === webSource ? (
            <WithNote note={allowanceOf('search', me, nowMs).left}>{name}</WithNote>
          ) : (
            <span className="flex min-w-0 flex-col">
              <span dir="auto" className="truncate">
                {name}
              </span>
              {organization !== undefined && (
                <span dir="auto" className="truncate text-xs text-muted-foreground">
                  {organization}
                </span>
              )}
            </span>
          )}
        </MenuItem>
      ))}
      {!me.user.isAnonymous && (
        <MenuItem icon={<Settings2 aria-hidden="true" />} render={<Link to="/account/tools" />}>
          {t('manageTools')}
        </MenuItem>
      )}
      {pageSettings.search && (
        <>
          <MenuSeparator />
          <MenuLabel>{t('forThisMessage')}</MenuLabel>
          {chosenModes.map((option) => {
            const problem = modeProblem(option, me, true, nowMs)
            const Icon = modeIcons[option]
            const isChosen = option === mode
            return (
              <MenuItem
                key={option}
                icon={<Icon aria-hidden="true" />}
                checked={isChosen}
                // The composer shows the offer, or the refusal and an action.
                onSelect={() => (problem && !isChosen ? onRefused(problem) : onChooseMode(isChosen ? 'chat' : option))}
              >
                {problem ? (
                  <span className="flex items-center gap-2">
                    {modeName(option)}
                    {isLockedMode(problem) ? (
                      <Lock aria-hidden="true" className="size-3!" />
                    ) : (
                      <CircleSlash2 aria-hidden="true" className="size-3.5!" />
                    )}
                  </span>
                ) : (
                  <WithNote note={allowanceOf(option, me, nowMs).left}>{modeName(option)}</WithNote>
                )}
              </MenuItem>
            )
          })}
        </>
      )}
    </>
  )
}

const WithNote = ({ note, children }: { readonly note: number; readonly children: string }) => (
  <span className="flex items-center gap-2">
    {children}
    <span className="text-xs text-muted-foreground">{t('usesLeft', { left: note })}</span>
  </span>
)

type ChosenModeButtonProps = Pick<ToolsProps, 'me' | 'onChooseMode'> & { readonly mode: ChosenMode }

export function ChosenModeButton({ mode, me, onChooseMode }: ChosenModeButtonProps) {
  const nowMs = useServerNow()
  const Icon = modeIcons[mode]
  const left = t('usesLeft', { left: allowanceOf(mode, me, nowMs).left })
  return (
    <button
      type="button"
      // Contains the visible text, as speech input needs.
      aria-label={t('removeMode', { mode: `${modeName(mode)} ${left}` })}
      {...tooltip(modeDescription(mode, me, nowMs))}
      onClick={() => onChooseMode('chat')}
      className="flex h-9 shrink-0 touch-target items-center gap-1.5 rounded-lg bg-accent/10 px-2 text-xs whitespace-nowrap text-foreground transition-colors hover:bg-foreground/7"
    >
      <Icon className="size-3.5 text-accent" aria-hidden="true" />
      <span className="@max-2xl:sr-only">{modeName(mode)}</span> <span className="text-muted-foreground">{left}</span>
      <X className="size-3.5 opacity-60" aria-hidden="true" />
    </button>
  )
}
