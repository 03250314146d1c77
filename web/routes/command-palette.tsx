/** The palette with the commands of all features. */
import { useAppearanceCommands, useSettingsCommands } from '../features/account/account-commands.tsx'
import { useModelCommands } from '../features/chat/composer/model-commands.tsx'
import { useAskCommand, useComposerCommands, useConversationCommands } from '../features/chat/thread/thread-commands.tsx'
import { Palette } from '../features/palette/palette.tsx'
import { t } from '../features/palette/texts/en.ts'
import { useShellCommands, useThreadMenuCommands } from '../features/shell/shell-commands.tsx'
import type { Command, CommandGroup } from '../ui/command.ts'

export function CommandPalette({ onClose }: { readonly onClose: () => void }) {
  const thisThread = [...useConversationCommands(), ...useThreadMenuCommands(), ...useComposerCommands()]
  const shell = useShellCommands()
  const models = useModelCommands()
  const appearance = useAppearanceCommands()
  const settings = useSettingsCommands()
  const askCommand = useAskCommand()
  return (
    <Palette
      groups={[
        ...group(t('thisThread'), thisThread),
        ...group(t('actions'), shell),
        // A model is found by its name, which does not describe the action.
        ...group(t('modelOfNext'), models),
        ...group(t('appearance'), appearance),
        ...group(t('settings'), settings),
      ]}
      askCommand={askCommand}
      onClose={onClose}
    />
  )
}

const group = (name: string, commands: readonly Command[]): readonly CommandGroup[] => (commands.length > 0 ? [{ name, commands }] : [])
