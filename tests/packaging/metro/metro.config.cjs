const { getDefaultConfig, mergeConfig } = require("@react-native/metro-config");

// The configuration of a new app, without the start of React Native, which needs a phone.
module.exports = mergeConfig(getDefaultConfig(__dirname), { serializer: { getModulesRunBeforeMainModule: () => [] } });
