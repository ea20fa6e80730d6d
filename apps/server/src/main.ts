import { BadSetting, readSettings, type Settings } from '#platform/settings';

/** Before the program is loaded, so that a wrong setting is told at once. */
function settingsOrExit(): Settings {
  try {
    return readSettings();
  } catch (error) {
    console.error(error instanceof BadSetting ? error.message : error);
    process.exit(1);
  }
}

const settings = settingsOrExit();
const { exitFor, serve } = await import('./serve.js');
await serve(settings).catch(exitFor);
